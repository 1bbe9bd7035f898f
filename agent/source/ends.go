package source

import "bytes"

// CommonEnds returns the numbers of bytes that two texts have in common at their beginning and, of
// what is left, at their end.
func CommonEnds(a, b []byte) (start, end int) {
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start, end
}

// CountLines counts the lines of a text. The last one needs no newline.
func CountLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
