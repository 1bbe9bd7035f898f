package source

import "bytes"

// Indent returns the number of spaces and tabs before the text of a line.
func Indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// IndentColumns returns the columns of white space before the text of a line; a tab counts as 8.
func IndentColumns[T string | []byte](line T) int {
	width := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 8
		default:
			return width
		}
	}
	return width
}
