package gittool

import (
	"bytes"
	"regexp"
	"strings"

	"git-agent/agent/source"
)

// Git assumes that a function ends at the beginning of the next one, so for a class it
// follows only the heading. Therefore git_log_function itself finds the lines of the
// whole body if a file declares a type.

// typeBody returns the lines, from 1, of the only declaration of a type called name in
// text. It finds the body by indentation: the body ends before the next line that is
// indented no deeper than the heading, apart from braces and access labels. In code with
// another layout the body is cut short; the answer names the covered lines.
func typeBody(name string, text []byte) (start, end int, ok bool) {
	const kinds = `(?:class|struct|union|enum|interface|trait|record|protocol|module)`
	head := regexp.MustCompile(
		`^[ \t]*(?:[\w@.]+[ \t]+)*` + kinds + `[ \t]+` + regexp.QuoteMeta(name) + `[ \t]*(?:$|[{:(<]|(?:extends|implements|final|where)\b)[^;]*$`,
	)
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i, line := range lines {
		if !head.MatchString(strings.TrimRight(line, "\r")) {
			continue
		}
		if start > 0 {
			return 0, 0, false // there are two of that name
		}
		start, end = i+1, i+1+bodyLength(source.IndentColumns(line), lines[i+1:])
	}
	return start, end, start > 0 && end > start
}

// functionLines returns the lines of the first function called name in a file, by
// agent/source. If the function has no heading there (a lambda, or a function from a
// macro), it uses the indentation below the line with the name.
func functionLines(path string, text []byte, name string) (source.Extent, bool) {
	lines := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	defined := regexp.MustCompile(`(^|[^\pL\pN_.>])` + regexp.QuoteMeta(name) + `($|[^\pL\pN_])`)
	var named []int
	for i, line := range lines {
		if defined.Match(line) && len(named) < maxNamed {
			named = append(named, i)
		}
	}
	for _, i := range named {
		if e, ok := source.FunctionAround(path, lines, i+1); ok && i+1 >= e.Start && i+1 <= e.Body && e.End > i+1 {
			return e, true
		}
	}
	for _, i := range named {
		if e, ok := indentedBody(lines, i); ok {
			return e, true
		}
	}
	return source.Extent{}, false
}

// maxNamed bounds the lines with the name that may be the heading of a function.
const maxNamed = 200

// indentedBody returns the extent of a line that opens a body, with the body.
func indentedBody(lines [][]byte, at int) (source.Extent, bool) {
	const most = 5000 // lines
	head := strings.TrimSpace(string(lines[at]))
	if head == "" || !strings.ContainsAny(head[len(head)-1:], "{(:>=\\") && (at+1 == len(lines) || strings.TrimSpace(string(lines[at+1])) != "{") {
		return source.Extent{}, false
	}
	var below []string
	for _, l := range lines[at+1 : min(at+1+most, len(lines))] {
		below = append(below, string(l))
	}
	n := bodyLength(source.IndentColumns(lines[at]), below)
	return source.Extent{Start: at + 1, Body: at + 1, End: at + 1 + n}, n > 0
}

var continuation = source.Lazy(`^(?:[{})\]]|(?:public|private|protected)\b.*:)`)

// bodyLength counts the lines after a heading that belong to its body.
func bodyLength(indent int, lines []string) int {
	end := 0
	for i, line := range lines {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
			continue
		case source.IndentColumns(line) <= indent && !continuation().MatchString(text):
			return end
		}
		end = i + 1
		if source.IndentColumns(line) <= indent && strings.HasPrefix(text, "}") {
			return end
		}
	}
	return end
}
