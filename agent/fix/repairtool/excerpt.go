package repairtool

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// These bound what is shown of an output.
const (
	maxExcerpt    = 8000 // characters, about 2,500 tokens
	maxOutputLine = 300  // characters
	headLines     = 6
	tailLines     = 12
	beforeTelling = 2 // lines that are shown before one that tells of a failure
	afterTelling  = 8
)

var (
	// escapes matches the sequences by which programs colour their output.
	escapes = source.Lazy(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])`)
	// passing matches the lines that test tools print for a test that passes, and before
	// each test.
	passing = source.Lazy(`^\s*(=== (RUN|PAUSE|CONT|NAME)\b|--- PASS|ok\s+\S+\s+(\(cached\)|[0-9.]+s)|ok \d+\b|\?\s+\S+\s+\[no test files\]|✓|✔|√|PASSED\b|\S+ PASSED(\s+\[ *\d+%\])?$|test \S+ \.\.\. ok$|\[\s+(OK|RUN)\s+\])`)
	// telling matches lines that tell of a failure.
	telling = source.Lazy(`(?i)\b(fail(ed|ures?|s|ing)?|errors?|panic(ked)?|expect(ed)?|actual|want(ed)?|got|received|assert\w*|\w*exception|traceback|undefined|undeclared|cannot|fatal|abort\w*|sigsegv|segmentation|sanitizer|not ok|mismatch|should)\b|error:|^E\s|✗|✘|×`)
)

// outputLines returns the lines of an output as they are shown: without colours, without
// what a progress display has overwritten, without the name of the scratch directory, and
// repeated lines once.
func (b *Box) outputLines(out []byte) []string {
	text := b.relative(escapes().ReplaceAllString(string(out), ""))
	var lines []string
	again, passed := 0, 0
	flush := func() {
		if again > 0 {
			lines = append(lines, fmt.Sprintf("(the same line %s)", agent.Plural(again, "more time")))
		}
		if passed > 0 {
			lines = append(lines, fmt.Sprintf("(%s of tests that pass)", agent.Plural(passed, "line")))
		}
		again, passed = 0, 0
	}
	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		switch {
		case passing().MatchString(line):
			if again > 0 {
				flush()
			}
			passed++
			continue
		case line == last && len(lines) > 0 && passed == 0:
			again++
			continue
		}
		flush()
		lines = append(lines, b.opt.Mask.Shorten(line, maxOutputLine))
		last = line
	}
	flush()
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// excerpt returns the lines that tell most, in at most about room characters: the first
// and the last, and between them those with one of the marks and around the words of
// failures, from the top.
func excerpt(lines, marks []string, room int) string {
	keep := make([]bool, len(lines))
	left := room
	take := func(from, to int) {
		for i := max(0, from); i < min(len(lines), to) && left > 0; i++ {
			if !keep[i] {
				keep[i] = true
				left -= len(lines[i]) + 1
			}
		}
	}
	take(0, headLines)
	take(len(lines)-tailLines, len(lines))
	marked := func(line string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(line, m) })
	}
	for _, tells := range []func(string) bool{marked, telling().MatchString, func(string) bool { return true }} {
		for i, line := range lines {
			if left > 0 && tells(line) {
				take(i-beforeTelling, i+afterTelling)
			}
		}
	}
	return joinKept(lines, keep)
}

// joinKept joins lines and says how many are left out.
func joinKept(lines []string, keep []bool) string {
	var t strings.Builder
	skipped := 0
	for i, line := range lines {
		if !keep[i] {
			skipped++
			continue
		}
		if skipped > 0 {
			fmt.Fprintf(&t, "… (%s)\n", agent.Plural(skipped, "line"))
			skipped = 0
		}
		t.WriteString(line + "\n")
	}
	if skipped > 0 {
		fmt.Fprintf(&t, "… (%s)\n", agent.Plural(skipped, "line"))
	}
	return t.String()
}
