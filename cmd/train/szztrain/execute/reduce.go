package execute

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// A testForm describes the tests of a language in a text with the usual indentation.
type testForm struct {
	mark func() *regexp.Regexp // the line that marks the function below as a test
	head func() *regexp.Regexp // the head of a function; its first group is the name
}

// testForms are the languages whose test files can be reduced to some of their tests.
var testForms = map[string]testForm{
	"Rust": {source.Lazy(`^\s*#\[(?:\w+::)?test(?:\(.*\))?\]`), source.Lazy(`^\s*(?:pub(?:\(\w+\))? )?(?:async )?fn (\w+)`)},
	"Java": {
		source.Lazy(`^\s*@(?:org\.junit\.)?(?:Test|ParameterizedTest|RepeatedTest)\b`),
		source.Lazy(`^\s*(?:(?:public|protected|private|final) )*void (\w+)\(`),
	},
}

// reduced removes unwanted tests from a text, because newer tests may use symbols that older code
// lacks. Everything except tests stays.
func reduced(text []byte, form testForm, wanted []string) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	var out []byte
	for i := 0; i < len(lines); {
		end, name := form.testAt(lines, i)
		if end > i && !slices.Contains(wanted, name) {
			i = end
			continue
		}
		if end == i {
			end = i + 1
		}
		for ; i < end; i++ {
			out = append(out, lines[i]...)
		}
	}
	return out
}

// testAt returns the end and the name of the test whose first attribute is line i. Without such a
// test, the end is i.
func (f testForm) testAt(lines [][]byte, i int) (end int, name string) {
	if !isAttribute(lines[i]) {
		return i, ""
	}
	marked := false
	head := i
	for ; head < len(lines) && isAttribute(lines[head]); head++ {
		marked = marked || f.mark().Match(lines[head])
	}
	if !marked || head == len(lines) {
		return i, ""
	}
	m := f.head().FindSubmatch(lines[head])
	if m == nil {
		return i, ""
	}
	if line := lines[head]; bytes.IndexByte(line, '{') >= 0 && bytes.Count(line, []byte("{")) == bytes.Count(line, []byte("}")) {
		return head + 1, string(m[1])
	}
	closing := indentOf(lines[head]) + "}"
	for j := head + 1; j < len(lines); j++ {
		if strings.TrimRight(string(lines[j]), " \t\r\n") == closing {
			return j + 1, string(m[1])
		}
	}
	return i, ""
}

// isAttribute reports whether a line is an attribute of Rust, an annotation of Java, or a comment
// between two of them.
func isAttribute(line []byte) bool {
	line = bytes.TrimSpace(line)
	return bytes.HasPrefix(line, []byte("#[")) || bytes.HasPrefix(line, []byte("@")) && !bytes.HasPrefix(line, []byte("@interface"))
}

func indentOf(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// These patterns find the test module in a source file of Rust.
var (
	testAttribute = source.Lazy(`^#\[cfg\((?:all\(|any\()?test\b.*\]\s*$`)
	testModule    = source.Lazy(`^(?:pub(?:\(\w+\))? )?mod \w+ \{\s*$`)
)

// testModuleOf returns the bounds of the last test module in a text of Rust, and whether there is
// one. A module ends with the first brace at the beginning of a line.
func testModuleOf(text []byte) (start, end int, ok bool) {
	at, attribute := 0, -1
	open := false
	for line := range bytes.Lines(text) {
		switch {
		case open:
			if len(line) > 0 && line[0] == '}' {
				start, end, ok, open, attribute = attribute, at+len(line), true, false, -1
			}
		case testAttribute().Match(line):
			attribute = at
		case attribute >= 0 && testModule().Match(line):
			open = true
		case attribute >= 0 && !isAttribute(line):
			attribute = -1
		}
		at += len(line)
	}
	return start, end, ok
}

// withTestModule replaces the test module in a text of Rust.
func withTestModule(text, module []byte) []byte {
	if start, end, ok := testModuleOf(text); ok {
		return slices.Concat(text[:start], module, text[end:])
	}
	return slices.Concat(text, []byte("\n"), module)
}
