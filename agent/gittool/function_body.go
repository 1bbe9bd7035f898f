package gittool

import (
	"regexp"
	"strings"
)

// Git takes a function to end where the next one begins, so that of a class it
// follows the head alone. Of a type that is declared in a file, git_log_function
// therefore follows the lines of the whole body.

// typeBody returns the lines, from 1, of the one declaration of a type called
// name in text. The body goes by indentation: it ends before the next line that
// is indented no deeper than the head, braces and access labels aside. Code that
// is not laid out like that has its body cut short; the answer says which lines
// it is about.
func typeBody(name string, text []byte) (start, end int, ok bool) {
	const kinds = `(?:class|struct|union|enum|interface|trait|record|protocol|module)`
	head := regexp.MustCompile(`^[ \t]*(?:[\w@.]+[ \t]+)*` + kinds + `[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*(?:$|[{:(<]|(?:extends|implements|final|where)\b)[^;]*$`)
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i, line := range lines {
		if !head.MatchString(strings.TrimRight(line, "\r")) {
			continue
		}
		if start > 0 {
			return 0, 0, false // two of that name
		}
		start, end = i+1, i+1+bodyLength(indentOf(line), lines[i+1:])
	}
	return start, end, start > 0 && end > start
}

var goesOn = regexp.MustCompile(`^(?:[{})\]]|(?:public|private|protected)\b.*:)`)

// bodyLength counts the lines behind a head that belong to it.
func bodyLength(indent int, lines []string) int {
	end := 0
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			continue
		case indentOf(line) <= indent && !goesOn.MatchString(text):
			return end
		}
		end = i + 1
		if indentOf(line) <= indent && strings.HasPrefix(text, "}") {
			return end
		}
	}
	return end
}

// indentOf is the width of the white space that a line begins with; a tab is 8.
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
