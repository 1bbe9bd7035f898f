package investigate

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// A failed is a failing test: its possible names in the source, the likeliest first, and its
// failing case.
type failed struct {
	names []string
	sub   string // "" for the whole test
	full  string // the name in the test tool's output
	class string // the class, for names of Java; its file has the same name
}

// javaTest matches a test's name as Java's tools print it, with its package, and perhaps with
// parameters.
var javaTest = source.Lazy(`^(?:[\w$]+\.)*([A-Z]\w*)(?:\$\w+)*\.(\w+)((?:[({\[].*)?)$`)

// failedTests returns the failing tests with their cases: of "pkg:TestX/sub case" the
// name TestX and the case "sub case", of "a.py::test_x[1-2]" the case "1-2", of "p.ATest.testX"
// the name testX and the class ATest.
func failedTests(failing []string) []failed {
	var out []failed
	for _, f := range failing[:min(len(failing), 20)] {
		full := f
		if m := javaTest().FindStringSubmatch(f); m != nil {
			out = append(out, failed{names: []string{f, m[2]}, full: full, class: m[1]})
			continue
		}
		if i := strings.LastIndex(f, ":Test"); i >= 0 {
			f = f[i+1:]
		}
		if before, sub, ok := strings.Cut(f, "/"); ok && strings.HasPrefix(f, "Test") {
			out = append(out, failed{names: []string{before}, sub: sub, full: full})
			continue
		}
		if i := strings.LastIndex(f, "::"); i >= 0 {
			name, sub, _ := strings.Cut(f[i+2:], "[")
			out = append(out, failed{names: []string{name}, sub: strings.TrimSuffix(sub, "]"), full: full})
			continue
		}
		out = append(out, failed{names: testNames([]string{full}), full: full})
	}
	return out
}

// A row is one case of a test with several cases.
type row struct {
	first, last int // lines
	index, of   int // index in the table, from 0, and the table's size; of is 0 without a table
}

// text names a row for a reader.
func (r row) text(sub string) string {
	at := fmt.Sprintf("lines %d-%d", r.first, r.last)
	if r.first == r.last {
		at = fmt.Sprintf("line %d", r.first)
	}
	if r.of > 0 {
		at = fmt.Sprintf("index %d (of %d, from 0), %s", r.index, r.of, at)
	}
	return fmt.Sprintf("The case that fails: %s: %s\n", agent.Shorten(agent.CleanLine(sub), 160), at)
}

var (
	goNumber = source.Lazy(`^#(\d+)$`)                            // number of a case without a name
	goSuffix = source.Lazy(`#\d+$`)                               // number of a case with a repeated name
	pyNumber = source.Lazy(`^(?:[A-Za-z_]+|[^-]*\D)(\d+)(?:-|$)`) // number of a parameter without a short spelling
	caseWord = source.Lazy(`[\pL\pN.+]{2,}|\d`)
)

// rowOf finds the case with a name in the lines of a test.
func rowOf(lines [][]byte, start, end int, sub string) (row, bool) {
	if m := goNumber().FindStringSubmatch(sub); m != nil {
		n, _ := strconv.Atoi(m[1])
		return tableRow(lines, start, end, n)
	}
	if at := lineOfCase(lines, start, end, goSuffix().ReplaceAllString(sub, "")); at > 0 {
		return rowAround(lines, start, end, at), true
	}
	if m := pyNumber().FindStringSubmatch(sub); m != nil {
		n, _ := strconv.Atoi(m[1])
		return tableRow(lines, start, end, n)
	}
	return row{}, false
}

// lineOfCase returns the line of a test with the name of a case, or with most of its words; 0
// if there are none or several.
func lineOfCase(lines [][]byte, start, end int, sub string) int {
	spaced := strings.ReplaceAll(sub, "_", " ")
	for n := start; n <= end && n <= len(lines); n++ {
		if len(sub) > 2 && (inQuotes(lines[n-1], sub) || inQuotes(lines[n-1], spaced)) {
			return n
		}
	}
	words := caseWord().FindAllString(spaced, 20)
	best, at, same := 0, 0, false
	for n := start + 1; n <= end && n <= len(lines); n++ {
		has := 0
		for _, w := range words {
			if regexp.MustCompile(`(?:^|[^\pL\pN])` + regexp.QuoteMeta(w) + `(?:$|[^\pL\pN])`).Match(lines[n-1]) {
				has++
			}
		}
		switch {
		case has > best:
			best, at, same = has, n, false
		case has == best:
			same = true
		}
	}
	if best < 2 || same || 2*best <= len(words) {
		return 0
	}
	return at
}

// inQuotes reports whether a line contains a text in quotation marks.
func inQuotes(line []byte, text string) bool {
	for _, q := range []string{`"`, "'", "`"} {
		if bytes.Contains(line, []byte(q+text+q)) {
			return true
		}
	}
	return false
}

// rowAround returns the table row around a line: the row that begins on this line if it starts
// with a bracket, else the block of brackets around it.
func rowAround(lines [][]byte, start, end, at int) row {
	first := at
	if !opens(lines[at-1]) {
		for n := at - 1; n > start && at-n < 60; n-- {
			if len(bytes.TrimSpace(lines[n-1])) > 0 && source.Indent(lines[n-1]) < source.Indent(lines[at-1]) {
				if opens(lines[n-1]) {
					first = n
				}
				break
			}
		}
	}
	r := row{first: first, last: rowEnd(lines, first)}
	for n := start + 1; n <= end && n <= len(lines); n++ {
		if opens(lines[first-1]) && sibling(lines, first, n) {
			if n < first {
				r.index++
			}
			r.of++
		}
	}
	return r
}

// opens reports whether a line begins with a bracket, like the rows of tables.
func opens(line []byte) bool {
	t := bytes.TrimSpace(line)
	return len(t) > 0 && bytes.IndexByte([]byte("{(["), t[0]) >= 0
}

// sibling reports whether two lines begin rows of one table.
func sibling(lines [][]byte, a, b int) bool {
	if !opens(lines[b-1]) || source.Indent(lines[a-1]) != source.Indent(lines[b-1]) ||
		bytes.TrimSpace(lines[a-1])[0] != bytes.TrimSpace(lines[b-1])[0] {
		return false
	}
	for n := min(a, b); n < max(a, b); n++ {
		if t := bytes.TrimSpace(lines[n-1]); len(t) > 0 && source.Indent(lines[n-1]) < source.Indent(lines[a-1]) {
			return false
		}
	}
	return true
}

// rowEnd returns the last line of the row that begins on line first.
func rowEnd(lines [][]byte, first int) int {
	open := 0
	for n := first; n <= len(lines) && n < first+60; n++ {
		for _, c := range lines[n-1] {
			switch {
			case bytes.IndexByte([]byte("{(["), c) >= 0:
				open++
			case bytes.IndexByte([]byte("})]"), c) >= 0:
				open--
			}
		}
		if open <= 0 {
			return n
		}
	}
	return first
}

// tableRow returns the n-th row of the first table with enough rows in a test.
func tableRow(lines [][]byte, start, end, n int) (row, bool) {
	for at := start; at <= end && at <= len(lines); at++ {
		if !opens(lines[at-1]) {
			continue
		}
		var rows []int
		for m := at; m <= end && m <= len(lines); m++ {
			if sibling(lines, at, m) {
				rows = append(rows, m)
			}
		}
		if len(rows) > max(n, 1) {
			return row{first: rows[n], last: rowEnd(lines, rows[n]), index: n, of: len(rows)}, true
		}
	}
	return row{}, false
}

// withDecorators returns the first line of the decorators above a Python test, which contain
// its cases; the test's own first line if there are none.
func withDecorators(name string, lines [][]byte, start int) int {
	if path.Ext(name) != ".py" {
		return start
	}
	first := start
	for n := start - 1; n >= 1 && start-n < 400; n-- {
		t := bytes.TrimSpace(lines[n-1])
		if len(t) == 0 {
			break
		}
		if t[0] == '@' && source.Indent(lines[n-1]) == source.Indent(lines[start-1]) {
			first = n
		}
	}
	return first
}
