package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	unityTest    = source.Lazy(`^(.+?):(\d+):([^:]+):(PASS|FAIL|IGNORE)(?:: ?(.*))?$`)
	unityFixture = source.Lazy(`^TEST\((\w+), (\w+)\)(?: (PASS)$|(.+?):(\d+)::FAIL: ?(.*)$)`)
	unityTotal   = source.Lazy(`^(\d+) Tests (\d+) Failures (\d+) Ignored`)

	ctestResult = source.Lazy(`^\s*\d+/\d+ Test +#\d+: (.+?) \.*\s*(Passed|[\w ]*\*\*\*.*?)\s+[\d.]+ sec`)
	ctestFailed = source.Lazy(`^\s+\d+ - (.+?) \((.+)\)`)
	ctestTotal  = source.Lazy(`^\d+% tests passed, \d+ tests? failed out of (\d+)`)

	assertFailed = source.Lazy("^(?:[^\\s:]+: )?([^\\s:]+\\.\\w+):(\\d+): (?:.+: )?Assertion [`'\"](.+)['\"] failed\\.?$")
)

// native reads ctest, Unity and failed assertions of C.
type native struct {
	*reader
	list bool // in the list of ctest's failed tests
}

func (n *native) take(l line) bool {
	switch {
	case strings.Contains(l.text, ":PASS") || strings.Contains(l.text, ":FAIL") || strings.Contains(l.text, ":IGNORE"):
		return n.unity(l.text)
	case strings.HasPrefix(l.text, "TEST("):
		return n.fixture(l.text)
	case strings.Contains(l.text, "Tests "):
		return n.unityTotal(l.text)
	case strings.Contains(l.text, " Test "):
		return n.ctest(l.text)
	case strings.Contains(l.text, " tests passed, "):
		return n.ctestTotal(l.text)
	case strings.HasPrefix(l.text, "No tests were found"):
		n.ranNone = true
	case strings.HasPrefix(l.text, "The following tests FAILED"):
		n.list = true
	case n.list:
		return n.ctestFailed(l.text)
	case strings.Contains(l.text, "Assertion "):
		return n.assertion(l.text)
	default:
		return false
	}
	return true
}

func (n *native) end() {}

func (n *native) unity(text string) bool {
	m := unityTest().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	switch m[4] {
	case "PASS":
		n.pass(m[3])
	case "FAIL":
		n.fail(m[3])
		n.place(Place{File: m[1], Line: number(m[2]), Text: m[5], Test: m[3]})
	}
	return true
}

// fixture reads Unity's other style: "TEST(group, name) PASS".
func (n *native) fixture(text string) bool {
	m := unityFixture().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	name := m[1] + "." + m[2]
	n.result(name, m[3] == "PASS")
	if m[4] != "" {
		n.place(Place{File: m[4], Line: number(m[5]), Text: m[6], Test: name})
	}
	return true
}

func (n *native) unityTotal(text string) bool {
	m := unityTotal().FindStringSubmatch(text)
	if m != nil {
		n.count(number(m[1]) - number(m[3]))
	}
	return m != nil
}

func (n *native) ctest(text string) bool {
	m := ctestResult().FindStringSubmatch(text)
	if m != nil {
		if !strings.Contains(m[2], "Skipped") && !strings.Contains(m[2], "Disabled") {
			if n.ofCTest == nil {
				n.ofCTest = map[string]bool{}
			}
			n.ofCTest[clip(m[1])] = true
			n.result(m[1], m[2] == "Passed")
		}
		n.crashes(m[2])
	}
	return m != nil
}

func (n *native) ctestTotal(text string) bool {
	m := ctestTotal().FindStringSubmatch(text)
	if m != nil {
		n.count(number(m[1]))
		n.inCTest += number(m[1])
	}
	return m != nil
}

func (n *native) ctestFailed(text string) bool {
	m := ctestFailed().FindStringSubmatch(text)
	if n.list = m != nil; m != nil {
		n.fail(m[1])
		n.crashes(m[2])
	}
	return m != nil
}

func (n *native) crashes(how string) {
	if strings.Contains(how, "Exception") || strings.Contains(how, "SEGFAULT") || strings.Contains(how, "abort") {
		n.report.Panicked = true
	}
}

// assertion reads the message of assert (the same for glibc, musl and macOS).
func (n *native) assertion(text string) bool {
	m := assertFailed().FindStringSubmatch(text)
	if m != nil {
		n.place(Place{File: m[1], Line: number(m[2]), Text: m[3]})
		n.report.Panicked = true
	}
	return m != nil
}
