package execute

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// changedTests returns the names of the tests with lines changed by the fix, in the form for
// narrow. It returns nil if they are unknown, or if a change to a test file is outside of all
// tests.
func (s *suite) changedTests(ctx context.Context) []string {
	if s.language != "Go" && s.language != "Python" {
		return nil
	}
	patch, err := s.repo.Patch(ctx, s.fix.testsSince, s.fix.commit.OID, gitext.PatchOptions{Renames: true, Paths: s.fix.tests})
	if err != nil {
		return nil
	}
	var tests []string
	for _, f := range patch.Files {
		if f.Status == 'D' || !slices.Contains(s.fix.tests, f.NewPath) {
			continue
		}
		text, err := s.repo.Blob(ctx, f.NewOID, 8<<20)
		if err != nil {
			return nil
		}
		in, ok := testsOfLines(s.language, f.NewPath, text, addedLines(f.Hunks))
		if !ok {
			return nil
		}
		for _, name := range in {
			if !slices.Contains(tests, name) {
				tests = append(tests, name)
			}
		}
	}
	return tests
}

// addedLines lists the new lines of hunks, by their numbers.
func addedLines(hunks []gitext.Hunk) []int {
	var lines []int
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op == '+' {
				lines = append(lines, l.New)
			}
		}
		if h.NewLines == 0 {
			lines = append(lines, h.NewStart)
		}
	}
	return lines
}

// A testSpan is the place of a test in its file.
type testSpan struct {
	name       string
	start, end int // lines
}

// testsOfLines returns the names of the tests that contain the lines. ok is false if a relevant
// line is in no test.
func testsOfLines(language, name string, text []byte, lines []int) (tests []string, ok bool) {
	var spans []testSpan
	rows := bytes.Split(text, []byte("\n"))
	if language == "Python" {
		spans = pythonTests(name, rows)
	} else {
		spans = goTests(name, text)
	}
	for _, n := range lines {
		i := slices.IndexFunc(spans, func(s testSpan) bool { return s.start <= n && n <= s.end })
		switch {
		case i >= 0:
		case n < 1 || n > len(rows) || idleLine().Match(rows[n-1]):
			continue
		default:
			return nil, false
		}
		if !slices.Contains(tests, spans[i].name) {
			tests = append(tests, spans[i].name)
		}
	}
	return tests, true
}

// idleLine matches a line outside of tests without an effect.
var idleLine = source.Lazy(`^\s*(?:$|#|//|import\b|from\b|class \w|\)|"[^"]*"$|\w+(?: as \w+)?,$)`)

var (
	pythonDef   = source.Lazy(`^(\s*)(?:async )?def (\w+)`)
	pythonClass = source.Lazy(`^(\s*)class (\w+)`)
)

// pythonTests finds the tests of a Python file, named as pytest names them.
func pythonTests(name string, rows [][]byte) []testSpan {
	type scope struct {
		indent int
		name   string
	}
	var classes []scope
	var spans []testSpan
	decorated := 0
	for i, row := range rows {
		line := bytes.TrimSpace(row)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		indent := len(row) - len(bytes.TrimLeft(row, " \t"))
		if m := pythonClass().FindSubmatch(row); m != nil {
			classes = append(slices.DeleteFunc(classes, func(s scope) bool { return s.indent >= indent }), scope{indent, string(m[2])})
		}
		m := pythonDef().FindSubmatch(row)
		switch {
		case line[0] == '@' && decorated == 0:
			decorated = i + 1
		case m == nil && (decorated == 0 || bytes.HasPrefix(line, []byte("class "))):
			decorated = 0
		case m != nil:
			id := name
			for _, c := range classes {
				if c.indent < indent {
					id += "::" + c.name
				}
			}
			start := i + 1
			if decorated > 0 {
				start = decorated
			}
			decorated = 0
			if bytes.HasPrefix(m[2], []byte("test")) {
				spans = append(spans, testSpan{id + "::" + string(m[2]), start, endOfBlock(rows, i, indent)})
			}
		}
	}
	return spans
}

// endOfBlock returns the last line of the block of Python that begins at a row.
func endOfBlock(rows [][]byte, from, indent int) int {
	end, header := from+1, true
	for i := from; i < len(rows); i++ {
		line := bytes.TrimSpace(rows[i])
		if len(line) == 0 {
			continue
		}
		in := len(rows[i]) - len(bytes.TrimLeft(rows[i], " \t"))
		if i > from && in <= indent && !(header && line[0] == ')') {
			break
		}
		if bytes.HasSuffix(line, []byte(":")) {
			header = false
		}
		end = i + 1
	}
	return end
}

// goTests finds the tests of a Go file.
func goTests(name string, text []byte) []testSpan {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path.Base(name), text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var spans []testSpan
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
			spans = append(spans, testSpan{":" + fn.Name.Name, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line})
		}
	}
	return spans
}
