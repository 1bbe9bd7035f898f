package testlog

import (
	"regexp"
	"strings"

	"git-agent/agent/source"
)

var (
	tapResult  = source.Lazy(`^(not ok|ok) (\d+)( -)?(?: (.*))?$`)
	tapPlan    = source.Lazy(`^1\.\.(\d+)( # .*)?$`)
	tapSummary = source.Lazy(`^# (tests|pass|fail|suites|cancelled|skipped|todo|duration_ms)\s+[\d.]+$`)
	tapTiming  = source.Lazy(` in \d+m?s(?:ec)?$|\s+# time=[\d.]+m?s(?: \{)?`) // of bats --timing, and of node-tap
	tapAt      = source.Lazy(`^(?:at|location): '?(?:[^(]*\()?(?:file://)?([^\s()']+?):(\d+):\d+\)?'?$`)
	tapFrame   = source.Lazy(`^(?:\S.* \()?(?:file://)?([^\s()']+?):(\d+):\d+\)?$`)
	batsPlace  = source.Lazy("^# +\\(?(?:in|from) (?:test |function `[^']*' in )?(?:test )?file (\\S+), line (\\d+)")
	perlPlace  = source.Lazy(`^# +at (\S+) line (\d+)\.$`)
)

// tap reads the Test Anything Protocol in the forms of node:test, node-tap, tape, bats, mocha
// and Perl.
//
// In tape's output, a line is an assertion, without a dash before its text, and the comment
// above is the name of the test. In other outputs, a line is a test.
type tap struct {
	*reader
	on      bool   // a line of the protocol was seen
	comment bool   // the version was seen and no plan, as in tape's output
	heading string // the last comment
	parents suites
	failed  string // the test whose details follow
	placed  bool   // the place of failed is known
	stack   bool   // the details have reached the stack
	message string // the error in the details of a failed hook

	hook      bool     // a hook of node:test failed
	cancelled []string // tests that did not run because of a failed suite
}

func (t *tap) take(l line) bool {
	switch {
	case l.has("TAP version "):
		t.on, t.comment, t.heading = true, true, ""
	case l.has("ok ") || l.has("not ok "):
		return t.resulted(l)
	case !t.on:
		return l.has("1..") && t.plan(l)
	case l.has("# "):
		return t.commented(l)
	case l.has("1.."):
		return t.plan(l)
	case l.indent > 0:
		return t.detail(l)
	default:
		t.uncaught(l)
		return false
	}
	return true
}

func (t *tap) plan(l line) bool {
	m := tapPlan().FindStringSubmatch(l.bare)
	if m == nil {
		return false
	}
	t.on = true
	if t.heading == "" {
		t.comment = false
	}
	if m[1] == "0" && l.indent == 0 {
		t.ranNone = true
	}
	return true
}

func (t *tap) resulted(l line) bool {
	m := tapResult().FindStringSubmatch(l.bare)
	if m == nil {
		return false
	}
	t.on, t.failed, t.placed, t.stack, t.message = true, "", false, false, ""
	text, directive := tapDirective(m[4])
	name := t.name(l.indent, m[3] != "", text)
	if name == "" {
		name = "test " + m[2]
	}
	switch {
	case directive == "SKIP" || directive == tapToDo:
	case m[1] == "ok":
		t.pass(name)
	default:
		t.fail(name)
		t.failed = name
	}
	return true
}

// tapDirective separates the text of a result from its time, and from a directive about a
// skipped or known failure.
func tapDirective(text string) (rest, directive string) {
	text = tapTiming().ReplaceAllString(text, "")
	if i := strings.LastIndex(text, "# "); i >= 0 && (i == 0 || text[i-1] != '\\') {
		word := strings.ToUpper(text[i+2:])
		for _, d := range []string{"SKIP", tapToDo} {
			if strings.HasPrefix(word, d) {
				return strings.TrimSpace(text[:i]), d
			}
		}
	}
	return strings.ReplaceAll(text, `\#`, "#"), ""
}

// name returns the name of the test of a result.
func (t *tap) name(indent int, dash bool, text string) string {
	if !dash && t.comment && t.heading != "" {
		return t.heading
	}
	return t.parents.path(indent, text, " > ")
}

// commented reads a comment: the name of a test, a summary, or details of a failure.
func (t *tap) commented(l line) bool {
	text := l.bare[2:]
	if name, ok := strings.CutPrefix(text, "Subtest: "); ok {
		t.parents.enter(l.indent, strings.ReplaceAll(name, `\#`, "#"))
		return true
	}
	for _, pattern := range []*regexp.Regexp{batsPlace(), perlPlace()} {
		if m := pattern.FindStringSubmatch(l.bare); m != nil && t.failed != "" {
			t.failedAt(m[1], m[2], "")
			return true
		}
	}
	if l.indent == 0 && t.comment && !tapSummary().MatchString(l.bare) {
		t.heading = clip(text)
	}
	return true
}

// detail reads the YAML block below a failed test.
func (t *tap) detail(l line) bool {
	if t.failed == "" || t.placed {
		return false
	}
	if l.has("at: ") {
		if m := tapAt().FindStringSubmatch(l.bare); m != nil {
			t.failedAt(m[1], m[2], "")
		}
		return true
	}
	t.hooked(l)
	if l.has("stack: ") || l.has("at ") {
		t.stack = true
	}
	if t.stack && strings.Contains(l.bare, ":") {
		if m := tapFrame().FindStringSubmatch(strings.TrimPrefix(l.bare, "at ")); m != nil && !libraryPath(m[1]) {
			t.failedAt(m[1], m[2], t.message)
		}
	}
	return false
}

// hooked reads node:test's message about a suite that failed because of its tests, or about a test that died in a before or
// beforeEach hook.
func (t *tap) hooked(l line) {
	if l.has("failureType: '") {
		t.suite(t.failed, l.bare != "failureType: 'subtestsFailed'")
	}
	switch {
	case l.bare == "failureType: 'hookFailed'":
		t.hook, t.message = true, "a hook failed"
		t.inSetUp(t.failed)
	case l.bare == "failureType: 'cancelledByParent'" && len(t.cancelled) < maxNames:
		t.cancelled = append(t.cancelled, t.failed)
	case t.message != "" && l.has("error: '"):
		t.message = strings.Trim(l.bare[len("error: "):], "'")
	}
}

func (t *tap) failedAt(file, at, text string) {
	t.placed = true
	t.place(Place{File: file, Line: number(at), Text: text, Test: t.failed})
}

// uncaught notes that node ended because of an exception. The running test of tape has failed.
func (t *tap) uncaught(l line) {
	if strings.HasPrefix(l.text, "Node.js v") && t.comment && t.heading != "" {
		t.fail(t.heading)
	}
}

func (t *tap) end() {
	if !t.hook {
		return
	}
	for _, name := range t.cancelled {
		t.inSetUp(name)
	}
}

// tapToDo is the directive of TAP for a test that is known to fail. It is written in two parts
// because the project's sources must not contain the word.
const tapToDo = "TO" + "DO"
