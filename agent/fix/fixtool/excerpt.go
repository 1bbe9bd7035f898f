package fixtool

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// These bound the shown part of an output.
const (
	maxExcerpt    = 8000 // characters, about 2,500 tokens
	maxOutputLine = 300  // characters
	headLines     = 6
	tailLines     = 12
	beforeTelling = 2 // shown lines before a line about a failure
	afterTelling  = 8
)

var (
	// escapes matches the escape sequences for colours in outputs.
	escapes = source.Lazy(`\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[@-Z\\-_])`)
	// passing matches the lines of test tools for a passing test, and before each test.
	passing = source.Lazy(
		`^\s*(=== (RUN|PAUSE|CONT|NAME)\b|--- PASS|ok\s+\S+\s+(\(cached\)|[0-9.]+s)|ok \d+\b|\?\s+\S+\s+\[no test files\]|✓|✔|√|PASSED\b|\S+ PASSED(\s+\[ *\d+%\])?$|test \S+ \.\.\. ok$|\[\s+(OK|RUN)\s+\]|PASS\s+\S+$)|:PASS$|^\S+\.py [.sx]+\s+\[ *\d+%\]$`,
	)
	// building matches the progress lines of builds.
	building = source.Lazy(
		`^(make(\[\d+\])?: (Entering|Leaving) directory|\[ *\d+%\] |-- (\w+[\w ]*(Success|done|skipped|Failed)?$|The \w+ compiler|Check for|Performing Test|Found |Looking for|Detecting|Build files|Configuring|Generating)|Scanning dependencies|(go|npm|Downloading|Downloaded|Collecting|Compiling|Installing|\[INFO\] Download\w+): ?|\s+Compiling \S+ v|gcc |cc |g\+\+ |c\+\+ |clang |ar rcs? |ranlib )`,
	)
	// maven matches the progress of Maven, and its advice after failed tests.
	maven = source.Lazy(
		`^\[INFO\](?:\s|$)|^\[ERROR\](?:$| (?:Failures:|Errors:|(?:See|Please refer to) (?:\S*target/surefire|dump files)|-> \[Help|To see the full|Re-run Maven|For more information|After correcting the problems|  mvn <args> -rf |\[Help \d)| Failed to execute goal \S+:maven-(?:surefire|failsafe)-plugin:.*(?:There (?:are|were) test failures|on project \S+:\s*$))`,
	)
	// surefireListed matches a failure in the list at the end of Maven's tests.
	surefireListed = source.Lazy(`^\[ERROR\] +[\w$.]+:\d+(?:->\S+:\d+)* (?:» (\w+):? ?)?(.*)$`)
	// jdkFrame matches the frames of the JDK in stacks of Java.
	jdkFrame = source.Lazy(`^\s+at java\.base/`)
	// libraryFrame matches the frames of test tools in stacks of Java.
	libraryFrame = source.Lazy(
		`^\s+at (?:[\w.@-]*/+)?(?:org\.junit|junit|kotlin\.test|org\.opentest4j|org\.assertj|org\.hamcrest|org\.testng|org\.apache\.maven|(?:worker\.)?org\.gradle|java\.lang\.reflect|jdk\.internal\.reflect|sun\.reflect|java\.util\.ArrayList\.forEach)\b`,
	)
	// broken matches a line of a failed build.
	broken = source.Lazy(`(?i)\b(error|warning|failed|undefined|not found)\b`)
	// telling matches lines about a failure.
	telling = source.Lazy(
		`(?i)\b(fail(ed|ures?|s|ing)?|errors?|panic(ked)?|expect(ed)?|actual|want(ed)?|got|received|assert\w*|\w*exception|traceback|undefined|undeclared|cannot|fatal|abort\w*|sigsegv|segmentation|sanitizer|not ok|mismatch)\b|error:|^E\s|✗|✘|×`,
	)
)

// outputLines returns the shown form of an output's lines: without colours, without overwritten
// parts of a progress display, without the name of the scratch directory, and repeated lines
// only once. Quotations, such as a test's expected text, stay complete.
func (b *Box) outputLines(out []byte) []string { return b.condense(out, condenser{}) }

// condense returns the lines of an output in their shown form.
func (b *Box) condense(out []byte, o condenser) []string {
	text := b.relative(Plain(string(out)))
	var q quotation
	warning, advice, jdk := false, false, false
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range all {
		line = strings.TrimRight(line, "\r\t ")
		line = line[strings.LastIndexByte(line, '\r')+1:]
		shown, quoted := b.outputLine(line), q.has(line)
		warning = line != "" && warning || warns(all, i)
		// A warning of Maven has further lines. Of the JDK's frames, the first says which method failed.
		advice = strings.HasPrefix(line, "[WARNING] ") || advice && strings.HasPrefix(line, "  ")
		within := jdk
		jdk = jdkFrame().MatchString(line)
		switch {
		case libraryFrame().MatchString(line):
			o.skip(shown, "line", " of test tools")
		case within && jdk:
			o.skip(shown, "line", " of the JDK")
		case !quoted && (warning || advice || maven().MatchString(line) || cargo().MatchString(line)):
			o.skip(shown, "line", ofBuild)
		case !quoted && (sumsUp(all, i) || o.listsAgain(line)):
			o.skip(shown, "line", ofBuild)
		case !quoted && passing().MatchString(line):
			o.skip(shown, "line", " of tests that pass")
		case !quoted && building().MatchString(line) && !broken().MatchString(line):
			o.skip(shown, "line", ofBuild)
		case o.quiet && !quoted && line == "" && o.endsBlank():
		case !quoted && o.last == line && len(o.lines) > 0:
			o.skip(shown, "more time", "")
		default:
			o.flush()
			o.lines = append(o.lines, shown)
			o.last = line
		}
	}
	o.flush()
	for len(o.lines) > 0 && o.lines[len(o.lines)-1] == "" {
		o.lines = o.lines[:len(o.lines)-1]
	}
	return o.lines
}

// Plain returns an output without the escape sequences for colours.
func Plain(out string) string { return escapes().ReplaceAllString(out, "") }

// warns reports whether a warning of the Rust compiler begins at a line. Its errors and the
// failures of tests say more.
func warns(lines []string, i int) bool {
	return strings.HasPrefix(lines[i], "warning: ") && i+1 < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[i+1]), "--> ")
}

// cargo matches the compiler's number of warnings, and what Cargo and its test programs say whatever
// fails: the places of programs in the scratch directory, and advice.
var cargo = source.Lazy(
	`^warning: (?:.* generated \d+ warnings?\b|(?:\S*\bCargo\.toml: )?no edition set: )` +
		`|^ +(?:Running (?:unittests )?\S+ \(.*\)$|Finished .* target\(s\) in |Executable |Doc-tests |Blocking waiting for )` +
		`|^running \d+ tests?$|^error: test failed, to rerun pass |^note: run with .RUST_BACKTRACE=`,
)

// quotes matches a line above a quotation: a tool's deeper indented text that a test expected
// or got.
var quotes = source.Lazy(
	"(?i)^\\s*[-+E]?\\s*(?:expected|actual|wanted|want|got|received|diff|left|right|output|error|message)\\b[^:=]{0,30}[:=]\\s*(?:[|>][-+]?|[\"'`({\\[]+)?$",
)

// diffMark matches a line of a difference between two values, which begins with a mark.
var diffMark = source.Lazy(`^\s*[<>+-](?:\s|$)`)

// A quotation finds the quoted parts of an output.
type quotation struct {
	on    bool
	depth int // indentation of the line above the quotation
}

// has reports whether the next line of an output is within a quotation.
func (q *quotation) has(line string) bool {
	depth := len(line) - len(strings.TrimLeft(line, " \t"))
	if q.on && (line == "" || depth > q.depth || depth == q.depth && diffMark().MatchString(line)) {
		return true
	}
	q.on, q.depth = quotes().MatchString(line), depth
	return false
}

// Excerpt returns the most informative part of a test command's output, in at most about room
// characters: its failures with the lines around them, without passing tests, and without the
// progress of builds, of which no note says how long it was.
func Excerpt(out []byte, room int) string {
	var b Box
	return excerpt(b.condense(out, condenser{quiet: true}), marksOf(testlog.Read(out)), room)
}

// A condenser counts omitted lines.
type condenser struct {
	lines []string
	last  string // the last shown line, in its original form
	unit  string
	of    string
	count int
	held  []string // the counted lines, as long as a note would be no shorter
	size  int      // of the counted lines, in characters
	quiet bool     // nothing stands for lines of the build
}

// ofBuild is the kind of lines about a build's progress.
const ofBuild = " of the build"

// endsBlank reports whether a blank line would follow another one, or none at all.
func (c *condenser) endsBlank() bool {
	n := len(c.lines)
	return c.unit == "" && (n == 0 || c.lines[n-1] == "")
}

// sumsUp reports whether a line is Maven's sum of a class, and the next names a failing test.
func sumsUp(lines []string, i int) bool {
	return strings.Contains(lines[i], "Tests run: ") && strings.Contains(lines[i], " <<< ") && i+1 < len(lines) && strings.Contains(lines[i+1], " <<< ")
}

// listsAgain reports whether a line is of Maven's list of failures, and an earlier line has its message.
func (c *condenser) listsAgain(line string) bool {
	m := surefireListed().FindStringSubmatch(line)
	return m != nil && m[1]+m[2] != "" && slices.ContainsFunc(c.lines, func(l string) bool {
		return strings.Contains(l, m[1]) && strings.Contains(l, m[2])
	})
}

// longestNote is longer than every note of a condenser, in characters.
const longestNote = 60

// skip counts a line of some kind.
func (c *condenser) skip(line, unit, of string) {
	if c.quiet && of == ofBuild {
		c.flush()
		return
	}
	if c.unit != unit || c.of != of {
		c.flush()
		c.unit, c.of = unit, of
	}
	c.count++
	if c.size += len(line) + 1; c.size <= longestNote {
		c.held = append(c.held, line)
	}
}

// flush writes a note about the counted lines, or the lines themselves if they are not longer.
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
	if note := "(" + what + ")"; len(note)+1 < c.size {
		c.lines = append(c.lines, note)
	} else {
		c.lines = append(c.lines, c.held...)
	}
	c.unit, c.count, c.held, c.size = "", 0, nil, 0
}

// outputLine returns the shown form of a line. It keeps the beginning and the end of a long
// line, where assertions have the values. The note in the middle says that the program did not
// print it.
func (b *Box) outputLine(line string) string {
	const tail, longest = maxOutputLine / 3, 20_000
	if len(line) > longest {
		shown, _, _ := strings.Cut(b.opt.Mask.Shorten(line[:longest], maxOutputLine), agent.CutMark)
		return shown + leftOut(utf8.RuneCountInString(line)-maxOutputLine)
	}
	runes := []rune(b.opt.Mask.Text(agent.CleanLine(line)))
	if len(runes) <= maxOutputLine {
		return string(runes)
	}
	head := maxOutputLine - tail
	return string(runes[:head]) + leftOut(len(runes)-maxOutputLine) + string(runes[len(runes)-tail:])
}

// leftOut returns a note instead of n characters of a line.
func leftOut(n int) string { return fmt.Sprintf(" [git-agent left out %d characters] ", n) }

// excerpt returns the most informative lines, in at most about room characters: the first and
// the last ones, and between them, from the top, those with one of the marks and those around
// words of failures.
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
	if left == before { // no line is more informative than the others
		left /= 2
		take(headLines, len(lines))
	}
	wholeQuotes(lines, keep)
	return joinKept(lines, keep)
}

// maxQuote is the size, in characters, of the longest quotation that is completed if a part of
// it is shown.
const maxQuote = 1500

// wholeQuotes completes partly kept quotations, because a reader would take a note inside an
// expected text for a part of it.
func wholeQuotes(lines []string, keep []bool) {
	var q quotation
	first := -1
	end := func(to int) {
		if first < 0 {
			return
		}
		size := 0
		for i := first; i < to; i++ {
			size += len(lines[i]) + 1
		}
		if size <= maxQuote && slices.Contains(keep[first:to], true) {
			for i := first; i < to; i++ {
				keep[i] = true
			}
		}
		first = -1
	}
	for i, line := range lines {
		switch quoted := q.has(line); {
		case quoted && first < 0:
			first = i
		case !quoted:
			end(i)
		}
	}
	end(len(lines))
}

// joinKept joins the kept lines, with notes of the numbers of omitted lines. It keeps lines
// that are not longer than their note.
func joinKept(lines []string, keep []bool) string {
	var t strings.Builder
	var skipped []string
	flush := func() {
		note, text := fmt.Sprintf("… (%s)\n", agent.Plural(len(skipped), "line")), strings.Join(append(skipped, ""), "\n")
		if len(skipped) > 0 && len(note) < len(text) {
			text = note
		}
		t.WriteString(text)
		skipped = nil
	}
	for i, line := range lines {
		if !keep[i] {
			skipped = append(skipped, line)
			continue
		}
		if len(skipped) > 0 {
			flush()
		}
		t.WriteString(line + "\n")
	}
	if len(skipped) > 0 {
		flush()
	}
	return t.String()
}
