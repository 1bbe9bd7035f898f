package investigate

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// These bound the sources of failing tests in the first prompt.
const (
	maxTests     = 4       // tests
	maxTestChars = 2600    // characters of one test
	maxTestsText = 5000    // characters of all tests
	maxTestFiles = 60      // searched test files
	maxTestBytes = 2 << 20 // bytes of one test file
)

// A shownTest is the source of a failing test, with information about its failure.
type shownTest struct {
	path       string
	start, end int
	subs       []string // names of the failing cases
}

// makeTestsText returns the sources of the failing tests that are found by name, and the data
// files that they read.
func (w *work) makeTestsText(ctx context.Context) (string, error) {
	tests, err := w.findTests(ctx)
	if err != nil || len(tests) == 0 {
		return "", err
	}
	places := testlog.Read(w.in.Reproduction.Output).Places
	var b strings.Builder
	for _, t := range tests {
		if b.Len() >= maxTestsText {
			break
		}
		lines, err := w.lines(ctx, t.path)
		if err != nil {
			return "", err
		}
		b.WriteString(t.text(lines, places))
	}
	named, err := w.namedFiles(ctx, tests)
	return strings.TrimRight(b.String()+named, "\n"), err
}

// findTests finds the sources of the first failing tests.
func (w *work) findTests(ctx context.Context) ([]*shownTest, error) {
	failing := failedTests(w.in.Reproduction.Failing)
	if len(failing) == 0 {
		return nil, nil
	}
	files, err := w.testFiles(ctx, failing)
	if err != nil {
		return nil, err
	}
	var out []*shownTest
	places := testlog.Read(w.in.Reproduction.Output).Places
	for _, f := range failing {
		t, err := w.sourceOf(ctx, f, files, places)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		i := slices.IndexFunc(out, func(o *shownTest) bool { return o.path == t.path && o.start == t.start })
		switch {
		case i >= 0:
			t = out[i]
		case len(out) == maxTests:
			continue
		default:
			out = append(out, t)
		}
		if f.sub != "" {
			t.subs = append(t.subs, f.sub)
		}
	}
	return out, nil
}

// sourceOf finds the source of one failing test; nil if it is not found.
func (w *work) sourceOf(ctx context.Context, f failed, files []string, places []testlog.Place) (*shownTest, error) {
	if t, err := w.unitTest(ctx, f.full); t != nil || err != nil {
		return t, err
	}
	if t, err := w.findTest(ctx, f.names, ofClass(files, f.class)); t != nil || err != nil {
		return t, err
	}
	return w.testAt(ctx, places, f.full, files)
}

// findTest finds the source of a test in some files, by the first of some names that occurs;
// nil if none does.
func (w *work) findTest(ctx context.Context, names, files []string) (*shownTest, error) {
	for _, name := range names {
		for _, path := range files {
			lines, err := w.lines(ctx, path)
			if err != nil {
				return nil, err
			}
			if start, end := findTest(path, lines, name); start > 0 {
				return &shownTest{path: path, start: withDecorators(path, lines, start), end: end}, nil
			}
		}
	}
	return nil, nil
}

// testAt finds the statement of a test file at which a test failed, for tests that a macro
// makes, which have no function with their name; nil if the output names no such place.
func (w *work) testAt(ctx context.Context, places []testlog.Place, name string, files []string) (*shownTest, error) {
	for _, p := range places {
		i := slices.IndexFunc(files, func(path string) bool { return sameFile(p.File, path) })
		if p.Test != name || i < 0 {
			continue
		}
		lines, err := w.lines(ctx, files[i])
		if err != nil || p.Line < 1 || p.Line > len(lines) {
			return nil, err
		}
		return &shownTest{path: files[i], start: p.Line, end: rowEnd(lines, p.Line)}, nil
	}
	return nil, nil
}

// testFiles lists the files that may contain the failing tests. Overlaid files come first,
// because a new test is likely in one of them, then the files of the tests' classes.
func (w *work) testFiles(ctx context.Context, failing []failed) ([]string, error) {
	var files, others []string
	for _, o := range w.in.Problem.Tree.Over {
		if o.Mode != 0 && source.IsTestPath(o.Path) {
			files = append(files, o.Path)
		}
	}
	entries, err := w.repo.Tree(ctx, w.in.Problem.Tree.Commit)
	if entries == nil {
		return nil, err
	}
	for _, e := range entries {
		switch {
		case !source.IsTestPath(e.Path) || e.Submodule || source.FileKindOf(e.Path) != source.TestFile:
		case slices.ContainsFunc(failing, func(f failed) bool { return isClassFile(e.Path, f.class) }):
			files = append(files, e.Path)
		default:
			others = append(others, e.Path)
		}
	}
	return append(files, others[:min(len(others), max(0, maxTestFiles-len(files)))]...), nil
}

// ofClass returns the files of a class, or all files if it has none.
func ofClass(files []string, class string) []string {
	found := slices.DeleteFunc(slices.Clone(files), func(p string) bool { return !isClassFile(p, class) })
	if len(found) == 0 {
		return files
	}
	return found
}

// isClassFile reports whether a file has the name of a class.
func isClassFile(p, class string) bool {
	return class != "" && strings.TrimSuffix(path.Base(p), path.Ext(p)) == class
}

// testNames returns the names of the failing tests in the sources: of "pkg:TestX/sub case" the
// names "sub case" and "TestX", of jest's "suite › a title: x" and vitest's "a.ts > suite > a title: x"
// first "a title: x", and then "suite".
func testNames(failing []string) []string {
	var names []string
	seen := map[string]bool{}
	add := func(n string) {
		if n = strings.TrimSpace(n); len(n) > 2 && !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	for _, f := range failing[:min(len(failing), 20)] {
		if i := strings.LastIndex(f, ":Test"); i >= 0 {
			f = f[i+1:]
		}
		titles := strings.Split(strings.ReplaceAll(f, " › ", " > "), " > ")
		for i := len(titles) - 1; i >= 0 && len(titles) > 1; i-- {
			add(titles[i])
		}
		parts := strings.FieldsFunc(f, func(r rune) bool { return r == '/' || r == ':' || r == '>' || r == '#' })
		if i := strings.LastIndex(f, "::"); i >= 0 {
			add(strings.SplitN(f[i+2:], "[", 2)[0])
		}
		for i := range parts {
			add(parts[len(parts)-1-i])
		}
		add(f)
	}
	return names
}

// findTest returns the lines of a test in a file, or 0, 0. A test is a function with the name,
// or a call with the name as a string.
func findTest(path string, lines [][]byte, name string) (start, end int) {
	word := regexp.MustCompile(
		`(?:\b(?:func|def|fn|void|function|class|TEST\w*\s*\(\s*\w+\s*,)\s*\(?[^()]*?\b` + regexp.QuoteMeta(
			name,
		) + `\b)|["'` + "`" + `]` + regexp.QuoteMeta(
			name,
		) + `["'` + "`" + `]`,
	)
	needle := []byte(name)
	for i, line := range lines {
		if !bytes.Contains(line, needle) || !word.Match(line) || isComment(line) {
			continue
		}
		if bytes.ContainsAny(line, "\"'`") && !bytes.Contains(line, []byte("func ")) {
			return i + 1, blockEnd(lines, i)
		}
		if at, ok := source.FunctionAround(path, lines, i+1); ok && at.End-at.Start < 4000 {
			return at.Start, at.End
		}
		return i + 1, blockEnd(lines, i)
	}
	return 0, 0
}

// isComment reports whether a line is only a comment.
func isComment(line []byte) bool {
	t := bytes.TrimSpace(line)
	return bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("# ")) || bytes.HasPrefix(t, []byte("/*")) || bytes.HasPrefix(t, []byte("* "))
}

// blockEnd returns the number of the last line of the block that begins at index i: the next
// line that is indented no deeper and closes the block.
func blockEnd(lines [][]byte, i int) int {
	depth := source.Indent(lines[i])
	for n := i + 1; n < len(lines) && n < i+200; n++ {
		text := bytes.TrimSpace(lines[n])
		if len(text) == 0 {
			continue
		}
		if d := source.Indent(lines[n]); d < depth || d == depth && !bytes.HasPrefix(text, []byte("{")) {
			if d == depth && (text[0] == '}' || text[0] == ')') {
				return n + 1
			}
			return n
		}
	}
	return min(i+200, len(lines))
}

// text shows a test with its line numbers and failing cases. Of a long test it shows the head,
// the failing cases, the lines around the places of the failure, and the end, because tests
// with a table of cases have their checks there.
func (t *shownTest) text(lines [][]byte, places []testlog.Place) string {
	const maxRows, around = 3, 8
	var b strings.Builder
	fmt.Fprintf(&b, "## %s:%d-%d\n", agent.CleanLine(t.path), t.start, t.end)
	f := newFocus(lines, t.start, min(t.end, len(lines)), maxTestChars)
	shown := 0
	for _, sub := range t.subs {
		if r, ok := rowOf(lines, t.start, t.end, sub); ok && shown < maxRows {
			shown++
			b.WriteString(r.text(sub))
			f.take(r.first, r.last)
		}
	}
	for _, p := range places {
		if sameFile(p.File, t.path) && t.start <= p.Line && p.Line <= t.end {
			f.take(p.Line-around, p.Line+around/2)
		}
	}
	f.take(t.start, t.start+around/2)
	if shown > 0 {
		f.take(t.end-2*around, t.end)
	}
	if shown == 0 || f.fits() {
		f.take(t.start, t.end)
	}
	b.WriteString(f.text())
	return b.String()
}

// sameFile reports whether a test tool's file name means a file of the tree.
func sameFile(named, path string) bool {
	return named == path || strings.HasSuffix(path, "/"+named) || strings.HasSuffix(named, "/"+path)
}

// A focus chooses lines of a part of a file up to a number of characters.
type focus struct {
	lines      [][]byte
	start, end int
	left       int
	keep       map[int]bool
}

func newFocus(lines [][]byte, start, end, room int) *focus {
	return &focus{lines: lines, start: start, end: end, left: room, keep: map[int]bool{}}
}

// take chooses lines while there is room.
func (f *focus) take(from, to int) {
	for n := max(from, f.start); n <= min(to, f.end) && f.left > 0; n++ {
		if !f.keep[n] {
			f.keep[n] = true
			f.left -= min(len(f.lines[n-1]), maxShownLine) + 7
		}
	}
}

// fits reports whether all lines fit.
func (f *focus) fits() bool {
	rest := 0
	for n := f.start; n <= f.end; n++ {
		if !f.keep[n] {
			rest += len(f.lines[n-1]) + 7
		}
	}
	return rest <= f.left
}

// text shows the chosen lines, with notes about omitted lines.
func (f *focus) text() string {
	var shown []int
	for n := f.start; n <= f.end; n++ {
		if f.keep[n] {
			shown = append(shown, n)
		}
	}
	var b strings.Builder
	last := f.start - 1
	for _, n := range toEnd(closeGaps(shown), f.end) {
		if n > last+1 {
			fmt.Fprintf(&b, "     … (%s)\n", agent.Plural(n-last-1, "line"))
		}
		fmt.Fprintf(&b, " %4d  %s\n", n, shownLine(f.lines[n-1]))
		last = n
	}
	if last < f.end {
		fmt.Fprintf(&b, "     … (to line %d)\n", f.end)
	}
	return b.String()
}

// maxShownLine bounds a shown line of code, in characters; longer lines are shortened.
const maxShownLine = 240

// shownLine returns the form of a code line in the prompt.
func shownLine(line []byte) string { return agent.Shorten(agent.Clean(string(line)), maxShownLine) }
