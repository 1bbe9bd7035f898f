package repair

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// Bounds of the sources of failing tests in the first prompt.
const (
	maxTests     = 4       // tests
	maxTestChars = 2600    // of one test
	maxTestsText = 5000    // of all of them
	maxTestFiles = 60      // test files that are searched
	maxTestBytes = 2 << 20 // of one of them
)

// makeTestsText returns the sources of the failing tests, as far as they are found by
// their names.
func (w *work) makeTestsText(ctx context.Context) (string, error) {
	names := testNames(w.in.Reproduction.Failing)
	if len(names) == 0 {
		return "", nil
	}
	files, err := w.testFiles(ctx)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	shown := map[string]bool{}
	for _, name := range names {
		if len(shown) >= maxTests || b.Len() >= maxTestsText {
			break
		}
		for _, path := range files {
			lines, err := w.lines(ctx, path)
			if err != nil {
				return "", err
			}
			start, end := findTest(path, lines, name)
			if start == 0 || shown[fmt.Sprint(path, start)] {
				continue
			}
			shown[fmt.Sprint(path, start)] = true
			b.WriteString(excerpt(path, lines, start, end))
			break
		}
	}
	return strings.TrimRight(b.String(), "\n"), nil
}

// testFiles lists the files that may hold the failing tests: those that are laid over
// the commit first, because a test that was just written is likely one of them.
func (w *work) testFiles(ctx context.Context) ([]string, error) {
	var files []string
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
		if len(files) >= maxTestFiles {
			break
		}
		if source.IsTestPath(e.Path) && !e.Submodule && source.FileKindOf(e.Path) == source.TestFile {
			files = append(files, e.Path)
		}
	}
	return files, nil
}

// testNames returns what the sources call the failing tests: of "pkg:TestX/sub case"
// the names "sub case" and "TestX".
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

// findTest returns the lines of a test in a file, or 0, 0. A test is a function of the
// name, or a call that is given the name as a text.
func findTest(path string, lines [][]byte, name string) (start, end int) {
	word := regexp.MustCompile(`(?:\b(?:func|def|fn|void|function|class|TEST\w*\s*\(\s*\w+\s*,)\s*\(?[^()]*?\b` + regexp.QuoteMeta(name) + `\b)|["'` + "`" + `]` + regexp.QuoteMeta(name) + `["'` + "`" + `]`)
	needle := []byte(name)
	for i, line := range lines {
		if !bytes.Contains(line, needle) || !word.Match(line) {
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

// blockEnd returns the number of the last line of the block that the line with index i
// opens: the next line that is indented no deeper and closes it.
func blockEnd(lines [][]byte, i int) int {
	depth := indent(lines[i])
	for n := i + 1; n < len(lines) && n < i+200; n++ {
		text := bytes.TrimSpace(lines[n])
		if len(text) == 0 {
			continue
		}
		if d := indent(lines[n]); d < depth || d == depth && !bytes.HasPrefix(text, []byte("{")) {
			if d == depth && (text[0] == '}' || text[0] == ')') {
				return n + 1
			}
			return n
		}
	}
	return min(i+200, len(lines))
}

func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// excerpt shows the first lines of a test with their numbers.
func excerpt(path string, lines [][]byte, start, end int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s:%d-%d\n", agent.CleanLine(path), start, end)
	for n := start; n <= end && n <= len(lines); n++ {
		if b.Len() > maxTestChars {
			fmt.Fprintf(&b, "     … (to line %d)\n", end)
			break
		}
		fmt.Fprintf(&b, " %4d  %s\n", n, agent.Shorten(agent.Clean(string(lines[n-1])), 240))
	}
	return b.String()
}
