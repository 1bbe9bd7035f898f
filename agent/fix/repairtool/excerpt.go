package repairtool

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/testrun"
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
	passing = source.Lazy(`^\s*(=== (RUN|PAUSE|CONT|NAME)\b|--- PASS|ok\s+\S+\s+(\(cached\)|[0-9.]+s)|ok \d+\b|\?\s+\S+\s+\[no test files\]|✓|✔|√|PASSED\b|\S+ PASSED(\s+\[ *\d+%\])?$|test \S+ \.\.\. ok$|\[\s+(OK|RUN)\s+\]|PASS\s+\S+$)|:PASS$|^\S+\.py [.sx]+\s+\[ *\d+%\]$`)
	// building matches the lines by which builds show their progress.
	building = source.Lazy(`^(make(\[\d+\])?: (Entering|Leaving) directory|\[ *\d+%\] |-- (\w+[\w ]*(Success|done|skipped|Failed)?$|The \w+ compiler|Check for|Performing Test|Found |Looking for|Detecting|Build files|Configuring|Generating)|Scanning dependencies|(go|npm|Downloading|Downloaded|Collecting|Compiling|Installing|\[INFO\] Download\w+): ?|\s+Compiling \S+ v|gcc |cc |g\+\+ |c\+\+ |clang |ar rcs? |ranlib )`)
	// broken matches a line of a build that failed.
	broken = source.Lazy(`(?i)\b(error|warning|failed|undefined|not found)\b`)
	// telling matches lines that tell of a failure.
	telling = source.Lazy(`(?i)\b(fail(ed|ures?|s|ing)?|errors?|panic(ked)?|expect(ed)?|actual|want(ed)?|got|received|assert\w*|\w*exception|traceback|undefined|undeclared|cannot|fatal|abort\w*|sigsegv|segmentation|sanitizer|not ok|mismatch)\b|error:|^E\s|✗|✘|×`)
)

// outputLines returns the lines of an output as they are shown: without colours, without
// what a progress display has overwritten, without the name of the scratch directory, and
// repeated lines once.
func (b *Box) outputLines(out []byte) []string {
	text := b.relative(escapes().ReplaceAllString(string(out), ""))
	var o condenser
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		switch {
		case passing().MatchString(line):
			o.skip("line", " of tests that pass")
		case building().MatchString(line) && !broken().MatchString(line):
			o.skip("line", " of the build")
		case o.last == line && len(o.lines) > 0:
			o.skip("more time", "")
		default:
			o.flush()
			o.lines = append(o.lines, b.outputLine(line))
			o.last = line
		}
	}
	o.flush()
	for len(o.lines) > 0 && o.lines[len(o.lines)-1] == "" {
		o.lines = o.lines[:len(o.lines)-1]
	}
	return o.lines
}

// Excerpt returns the part of a test command's output that says most, in at most about
// room characters: its failures with what stands around them, without the progress of
// builds and without tests that pass. mask may be nil.
func Excerpt(out []byte, mask agent.Mask, room int) string {
	b := &Box{opt: Options{Mask: mask}}
	return excerpt(b.outputLines(out), marksOf(testrun.Read(out)), room)
}

// A condenser counts lines that are not shown.
type condenser struct {
	lines []string
	last  string // the last line that is shown, as it was
	unit  string
	of    string
	count int
}

// skip counts a line of some kind.
func (c *condenser) skip(unit, of string) {
	if c.unit != unit || c.of != of {
		c.flush()
		c.unit, c.of = unit, of
	}
	c.count++
}

// flush says what was counted.
func (c *condenser) flush() {
	if c.count == 0 {
		return
	}
	what := agent.Plural(c.count, c.unit) + c.of
	if c.of == "" {
		what = "the same line " + what
	} else {
		c.last = ""
	}
	c.lines = append(c.lines, "("+what+")")
	c.unit, c.count = "", 0
}

// outputLine returns a line as it is shown: of a long one the beginning and the end, where
// assertions have what they got and wanted.
func (b *Box) outputLine(line string) string {
	const tail, longest = maxOutputLine / 3, 20_000
	if len(line) > longest {
		return b.opt.Mask.Shorten(line, maxOutputLine)
	}
	runes := []rune(b.opt.Mask.Text(agent.CleanLine(line)))
	if len(runes) <= maxOutputLine {
		return string(runes)
	}
	head := maxOutputLine - tail
	return fmt.Sprintf("%s…(+%d)…%s", string(runes[:head]), len(runes)-maxOutputLine, string(runes[len(runes)-tail:]))
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
	total := 0
	for _, line := range lines {
		total += len(line) + 1
	}
	if total <= room/2 {
		return joinKept(lines, slices.Repeat([]bool{true}, len(lines)))
	}
	take(0, headLines)
	take(len(lines)-tailLines, len(lines))
	marked := func(line string) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(line, m) })
	}
	before := left
	for _, tells := range []func(string) bool{marked, telling().MatchString} {
		for i, line := range lines {
			if left > 0 && tells(line) {
				take(i-beforeTelling, i+afterTelling)
			}
		}
	}
	if left == before { // nothing tells more than the rest
		left /= 2
		take(headLines, len(lines))
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
