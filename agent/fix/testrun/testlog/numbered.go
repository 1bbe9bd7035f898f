package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	numberedEntry = source.Lazy(`^(\d+)\) (.+)$`)

	rspecTotal   = source.Lazy(`^(\d+) (?:examples?|specs?), \d+ failures?(?:, (\d+) pending)?(.*)$`)
	rspecRerun   = source.Lazy(`^rspec ['"]?(?:\./)?\S+?['"]? # (.+)$`)
	rspecPlace   = source.Lazy(`^# (\S+?):(\d+):in `)
	rspecLoading = source.Lazy(`^An error occurred while loading (\S+?)\.$`)

	minitestKind  = source.Lazy(`^(?:\d+\) )?(Failure|Error|Skipped): ?(.*)$`)
	minitestName  = source.Lazy(`^(\S+#.+?|\S+\(\S+\))(?: \[(\S+?):(\d+)\])?:?$`)
	minitestTotal = source.Lazy(`^(\d+) (?:runs|tests), \d+ assertions, \d+ failures, \d+ errors(?:, \d+ pendings)?(?:, (\d+) (?:skips|omissions))?`)
	minitestTest  = source.Lazy(`^(\S+#\S+) = [\d.]+ s = ([.FE])$`)
	rubyFrame     = source.Lazy("^(\\S+\\.rb):(\\d+):in [`']")

	phpSection = source.Lazy(`^There (?:was|were) \d+ (\w+)`)
	phpPlace   = source.Lazy(`^(\S+\.(?:php|phpt)):(\d+)$`)
	phpTotal   = source.Lazy(`^(?:Tests: (\d+), Assertions: \d+(.*)|OK \((\d+) tests?.*\))$`)
	phpSkipped = source.Lazy(`(?:Skipped|Incomplete): (\d+)`)

	labTotal = source.Lazy(`^(?:\d+ of )?(\d+) tests (?:failed|complete)(?: \((\d+) skipped\))?$`)

	exunitTest  = source.Lazy(`^(\d+)\) ((?:test|doctest|property) .+ \(\S+\))$`)
	exunitPlace = source.Lazy(`^(\S+\.exs?):(\d+)$`)
	exunitTotal = source.Lazy(`^((?:\d+ (?:doctests?|propert\w+|tests?), )+)\d+ failures?((?:, \d+ \w+)*)`)
	exunitCount = source.Lazy(`(\d+) (\w+)`)
)

// labFailures is lab's heading of the failed tests, and that of old versions of Surefire.
const labFailures = "Failed tests:"

// numbered reads tools that print a numbered list of failures at the end: RSpec,
// minitest and test-unit, PHPUnit, JUnit's console, Jasmine, lab and ExUnit.
type numbered struct {
	*reader
	list   bool   // entries of the present list are failures
	lab    bool   // the list is of lab, which ends each name with a colon
	expect bool   // the next line names a test of minitest
	test   string // the failed test whose details follow; "" once its place is known
}

func (n *numbered) take(l line) bool {
	switch {
	case l.text == "":
		return false
	case n.expect:
		return n.minitest(l)
	case l.indent == 0 && n.heading(l.text):
		return true
	case source.IsDigit(l.bare[0]):
		return n.entry(l) || n.total(l.text)
	case l.has("Failure") || l.has("Error") || l.has("Skipped"):
		return n.kind(l.bare)
	case l.has("rspec ") || l.has("An error occurred"):
		return n.rspec(l.text)
	case l.has("Tests: ") || l.has("OK ("):
		return n.total(l.text)
	case strings.Contains(l.text, " = "):
		return n.verbose(l.text)
	}
	return n.details(l.bare)
}

func (n *numbered) end() {}

// heading reads the line above a list.
func (n *numbered) heading(text string) bool {
	if m := phpSection().FindStringSubmatch(text); m != nil {
		n.list = strings.HasPrefix(m[1], "failure") || strings.HasPrefix(m[1], "error")
		return true
	}
	switch {
	case text == "Failures:", text == labFailures:
		n.list, n.lab = true, text == labFailures
	case strings.HasPrefix(text, "Pending:"), text == "Failed examples:", text == "FAILURES!", text == "ERRORS!":
		n.list, n.test = false, ""
	case text == "No tests executed!", text == "No examples found.":
		n.ranNone = true
	default:
		return false
	}
	return true
}

func (n *numbered) entry(l line) bool {
	if m := exunitTest().FindStringSubmatch(l.bare); m != nil {
		n.fail(m[2])
		n.test = m[2]
		return true
	}
	m := numberedEntry().FindStringSubmatch(l.bare)
	if m == nil {
		return false
	}
	if k := minitestKind().FindStringSubmatch(l.bare); k != nil {
		return n.kind(l.bare)
	}
	if !n.list || l.indent > 2 {
		return false
	}
	if n.test = m[2]; n.lab {
		n.test = strings.TrimSuffix(n.test, ":")
	}
	if c := classInParens().FindStringSubmatch(n.test); c != nil {
		n.test = c[2] + "." + c[1]
	}
	n.fail(n.test)
	return true
}

// kind reads the first line of a failure of minitest or test-unit. The name of the test
// follows on the same line or on the next.
func (n *numbered) kind(text string) bool {
	m := minitestKind().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	switch {
	case m[1] == "Skipped":
		n.test = ""
	case m[2] == "":
		n.test, n.expect = "", true
	default:
		return n.minitest(lineOf(m[2]))
	}
	return true
}

// minitest reads the name of a failed test.
func (n *numbered) minitest(l line) bool {
	n.expect = false
	name, _, _ := strings.Cut(l.bare, "): ") // test-unit puts the message behind the name
	if name != l.bare {
		name += ")"
	}
	m := minitestName().FindStringSubmatch(name)
	if m == nil {
		return false
	}
	n.fail(m[1])
	if n.test = m[1]; m[2] != "" {
		n.failedAt(m[2], m[3])
	}
	return true
}

func (n *numbered) verbose(text string) bool {
	m := minitestTest().FindStringSubmatch(text)
	if m != nil {
		n.result(m[1], m[2] == ".")
	}
	return m != nil
}

func (n *numbered) rspec(text string) bool {
	if m := rspecRerun().FindStringSubmatch(text); m != nil {
		n.fail(m[1])
		return true
	}
	m := rspecLoading().FindStringSubmatch(text)
	if m != nil {
		n.noBuild(m[1])
	}
	return m != nil
}

// details reads the places below a failure.
func (n *numbered) details(text string) bool {
	if n.test == "" || !strings.Contains(text, ":") {
		return false
	}
	for _, pattern := range []source.Pattern{rspecPlace, rubyFrame, phpPlace, exunitPlace, jsFrame} {
		if m := pattern().FindStringSubmatch(text); m != nil && !libraryPath(m[1]) {
			n.failedAt(m[1], m[2])
			return true
		}
	}
	return false
}

func (n *numbered) failedAt(file, at string) {
	n.place(Place{File: strings.TrimPrefix(file, "./"), Line: number(at), Test: n.test})
	n.test = ""
}

// total reads the last line.
func (n *numbered) total(text string) bool {
	if m := exunitTotal().FindStringSubmatch(text); m != nil {
		n.count(exunitRan(m[1], m[2]))
		return true
	}
	for _, pattern := range []source.Pattern{rspecTotal, minitestTotal, labTotal} {
		m := pattern().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		n.count(number(m[1]) - number(m[2]))
		if strings.Contains(m[0], "occurred outside of examples") {
			n.noBuild("")
		}
		return true
	}
	m := phpTotal().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	ran := number(m[1] + m[3])
	for _, s := range phpSkipped().FindAllStringSubmatch(m[2], -1) {
		ran -= number(s[1])
	}
	n.count(ran)
	return true
}

// exunitRan sums the kinds of tests of ExUnit, without those that it left out.
func exunitRan(kinds, others string) int {
	ran := 0
	for _, m := range exunitCount().FindAllStringSubmatch(kinds, -1) {
		ran += number(m[1])
	}
	for _, m := range exunitCount().FindAllStringSubmatch(others, -1) {
		if m[2] == "excluded" || m[2] == "skipped" {
			ran -= number(m[1])
		}
	}
	return ran
}
