package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	gtestResult = source.Lazy(`^\[ +(OK|FAILED) +\] ([^\s,]+)(?:, where .*)?(?: \(\d+ ms\))?$`)
	gtestRun    = source.Lazy(`^\[ RUN +\] (\S+)$`)
	gtestTotal  = source.Lazy(`^\[==========\] (?:(\d+) tests? from \d+ test (?:suite|case)s? ran|(?:\w+: )?(\d+) test\(s\) run)\.`)
	gtestPlace  = source.Lazy(`^(?:\[ +ERROR +\] --- )?([^\s:][^:(]*)(?::(\d+)|\((\d+)\)): (?:Failure|error: Failure!)$`)

	catchRule   = source.Lazy(`^[-.=]{79}$`)
	catchFailed = source.Lazy(`^([^\s:][^:(]*)(?::(\d+)|\((\d+)\)): FAILED:$`)
	catchTotal  = source.Lazy(`^test cases: +(\d+)(?: \|.*)?$`)
	catchPassed = source.Lazy(`^All tests passed \(.* in (\d+) test cases?\)`)

	doctestName   = source.Lazy(`^ *TEST CASE: +(.+)$`)
	doctestFailed = source.Lazy(`^([^\s:][^:(]*)(?::(\d+)|\((\d+)\)): (?:FATAL )?ERROR: (.*)$`)
	doctestTotal  = source.Lazy(`^\[doctest\] test cases: +(\d+) `)

	boostFailed = source.Lazy(`^([^\s:][^:(]*)(?::(\d+)|\((\d+)\)): (?:fatal )?error: in "([^"]+)": (.*)$`)
	boostTotal  = source.Lazy(`^Running (\d+) test cases?\.\.\.$`)

	checkTotal  = source.Lazy(`^\d+%: Checks: (\d+), Failures: \d+, Errors: \d+$`)
	checkFailed = source.Lazy(`^(\S+):(\d+):([FE]):[^:]*:([^:]+):\d+: (.*)$`)
)

// cppTest reads googletest, cmocka, Catch2, doctest, Boost.Test and Check.
type cppTest struct {
	*reader
	running string // the running test of googletest or cmocka
	rules   int    // number of rulers of Catch2 since the possible beginning of a heading
	name    string // the present test of Catch2 or doctest
}

func (c *cppTest) take(l line) bool {
	switch t := l.text; {
	case t == "":
		return false
	case t[0] == '[':
		return c.bracketed(t)
	case strings.HasPrefix(t, "---") || strings.HasPrefix(t, "..."), strings.HasPrefix(t, "==="):
		return c.rule(t)
	case l.has("TEST CASE:"):
		return c.doctest(t)
	case strings.HasSuffix(t, "ailure") || strings.HasSuffix(t, "Failure!"):
		return c.placed(gtestPlace().FindStringSubmatch(t), c.running, "")
	case strings.HasSuffix(t, ": FAILED:"):
		return c.failed(catchFailed().FindStringSubmatch(t), "")
	case strings.Contains(t, "ERROR: "):
		return c.doctestFailure(t)
	case strings.Contains(t, `error: in "`):
		return c.boost(t)
	case c.rules == 1 && l.indent == 0:
		c.name, c.rules = t, 2
		return true
	}
	return c.totals(l) || c.check(l.text)
}

// end notes an unfinished test: its process crashed.
func (c *cppTest) end() { c.crashed() }

func (c *cppTest) crashed() {
	if c.running != "" {
		c.fail(c.running)
		c.report.Panicked = true
	}
	c.running = ""
}

func (c *cppTest) bracketed(text string) bool {
	if m := gtestRun().FindStringSubmatch(text); m != nil {
		c.crashed()
		c.running = m[1]
		return true
	}
	if m := gtestResult().FindStringSubmatch(text); m != nil {
		c.result(m[2], m[1] == "OK")
		c.running = ""
		return true
	}
	if strings.HasPrefix(text, "[  SKIPPED ]") {
		c.running = ""
		return true
	}
	if m := gtestTotal().FindStringSubmatch(text); m != nil {
		c.count(number(m[1] + m[2]))
		return true
	}
	if m := doctestTotal().FindStringSubmatch(text); m != nil {
		c.count(number(m[1]))
		return true
	}
	if strings.HasPrefix(text, "[  ERROR   ]") {
		return c.placed(gtestPlace().FindStringSubmatch(text), c.running, "")
	}
	return false
}

// rule reads the rulers around a heading of Catch2. The name of the test is the first
// line after a ruler of dashes.
func (c *cppTest) rule(text string) bool {
	if !catchRule().MatchString(text) {
		return false
	}
	switch {
	case text[0] != '-':
		c.rules = 0
	case c.rules == 0:
		c.rules = 1
	default:
		c.rules = 0
	}
	return true
}

// failed notes a failed assertion of the test of the last heading. m has the file and, in one
// of two groups, the line.
func (c *cppTest) failed(m []string, text string) bool {
	if m == nil || c.name == "" {
		return false
	}
	c.fail(c.name)
	return c.placed(m, c.name, text)
}

func (c *cppTest) placed(m []string, test, text string) bool {
	if m != nil {
		c.place(Place{File: m[1], Line: number(m[2] + m[3]), Text: text, Test: test})
	}
	return m != nil
}

func (c *cppTest) doctest(text string) bool {
	m := doctestName().FindStringSubmatch(text)
	if m != nil {
		c.name = m[1]
	}
	return m != nil
}

func (c *cppTest) doctestFailure(text string) bool {
	m := doctestFailed().FindStringSubmatch(text)
	return m != nil && c.failed(m, m[4])
}

func (c *cppTest) boost(text string) bool {
	m := boostFailed().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	c.fail(m[4])
	return c.placed(m, m[4], m[5])
}

func (c *cppTest) totals(l line) bool {
	if l.has("No tests ran") {
		c.ranNone = true
		return true
	}
	if !containsAny(l.text, []string{"test case", "Checks: "}) {
		return false
	}
	for _, pattern := range []source.Pattern{catchTotal, catchPassed, boostTotal, checkTotal} {
		if m := pattern().FindStringSubmatch(l.text); m != nil {
			c.count(number(m[1]))
			return true
		}
	}
	return false
}

func (c *cppTest) check(text string) bool {
	if !strings.Contains(text, ":F:") && !strings.Contains(text, ":E:") {
		return false
	}
	m := checkFailed().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	c.fail(m[4])
	c.place(Place{File: m[1], Line: number(m[2]), Text: m[5], Test: m[4]})
	return true
}
