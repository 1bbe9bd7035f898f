package gittool

import (
	"regexp"
	"strings"
)

// Git assumes that a function ends where the next one begins, so for a class it
// follows only the heading. Therefore git_log_function itself finds the lines
// of the whole body if a type is declared in a file.

// typeBody returns the lines, from 1, of the only declaration of a type called
// name in text. It finds the body by indentation: it ends before the next line
// that is indented no deeper than the heading, apart from braces and access
// labels. In code with another layout the body is cut short; the answer says
// which lines it covers.
func typeBody(name string, text []byte) (start, end int, ok bool) {
	const kinds = `(?:class|struct|union|enum|interface|trait|record|protocol|module)`
	head := regexp.MustCompile(`^[ \t]*(?:[\w@.]+[ \t]+)*` + kinds + `[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*(?:$|[{:(<]|(?:extends|implements|final|where)\b)[^;]*$`)
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i, line := range lines {
		if !head.MatchString(strings.TrimRight(line, "\r")) {
			continue
		}
		if start > 0 {
			return 0, 0, false // there are two of that name
		}
		start, end = i+1, i+1+bodyLength(indentOf(line), lines[i+1:])
	}
	return start, end, start > 0 && end > start
}

var continuation = regexp.MustCompile(`^(?:[{})\]]|(?:public|private|protected)\b.*:)`)

// bodyLength counts the lines after a heading that belong to its body.
func bodyLength(indent int, lines []string) int {
	end := 0
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			continue
		case indentOf(line) <= indent && !continuation.MatchString(text):
			return end
		}
		end = i + 1
		if indentOf(line) <= indent && strings.HasPrefix(text, "}") {
			return end
		}
	}
	return end
}

// indentOf returns the width of a line's indentation; a tab counts as 8.
func indentOf(line string) int {
	width := 0
	for _, r := range line {
		switch r {
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
