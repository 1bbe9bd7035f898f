package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	utHeading = source.Lazy(`^(FAIL|ERROR): (\S+ \([\w.<>]+\))(.*)$`)
	utVerbose = source.Lazy(`^(\S+ \([\w.<>]+\))(?:.*?\.\.\. (ok|FAIL|ERROR|expected failure|unexpected success))?$`)
	utResult  = source.Lazy(`\.\.\. (ok|FAIL|ERROR)$`)
	utRan     = source.Lazy(`^Ran (\d+) tests? in [\d.]+s$`)
	utFrame   = source.Lazy(`^  File "([^"]+)", line (\d+)(?:, in (.+))?$`)
)

// pySetUps are the functions that unittest calls before a test.
var pySetUps = map[string]bool{"setUp": true, "asyncSetUp": true, "setUpClass": true, "setUpModule": true, "setUpTestData": true}

// unitTest reads Python's unittest, and Django's tests.
type unitTest struct {
	*reader
	name  string // name of the failure above the present lines
	doc   string // test with a description, before its result
	frame Place  // innermost frame of the project
}

func (u *unitTest) take(l line) bool {
	switch {
	case l.has(`File "`):
		if m := utFrame().FindStringSubmatch(l.text); m != nil && u.name != "" && !libraryPath(m[1]) {
			u.frame = Place{File: m[1], Line: number(m[2]), Text: m[3], Test: u.name}
			if pySetUps[m[3]] {
				u.inSetUp(u.name)
			}
		}
		return false
	case l.indent > 0:
		return u.subtest(l)
	case strings.HasPrefix(l.text, "FAIL: "), strings.HasPrefix(l.text, "ERROR: "):
		return u.heading(l.text)
	case strings.HasPrefix(l.text, "Ran "):
		return u.total(l.text)
	case l.text == "NO TESTS RAN":
		u.ranNone = true
	}
	if u.died[u.name] && l.text != "" {
		u.frame.Text = l.text // the error that ended the set-up
	}
	u.flush()
	return u.verbose(l.text)
}

// flush notes the place of a failure: the innermost frame of its traceback.
func (u *unitTest) flush() {
	u.place(u.frame)
	u.frame = Place{}
}

func (u *unitTest) heading(text string) bool {
	m := utHeading().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	u.flush()
	if _, failed, ok := strings.Cut(m[2], "_FailedTest."); ok || strings.Contains(m[2], "_FailedTest") {
		u.noBuild(strings.TrimSuffix(failed, ")"))
		u.name = ""
		return true
	}
	u.name = m[2]
	u.fail(u.name)
	return true
}

func (u *unitTest) total(text string) bool {
	m := utRan().FindStringSubmatch(text)
	if m != nil {
		u.count(number(m[1]) - len(u.report.Unbuilt))
	}
	return m != nil
}

// verbose reads a line of python -m unittest -v. The result of a test with a description is on
// the description's line.
func (u *unitTest) verbose(text string) bool {
	if u.doc != "" && strings.Contains(text, " ... ") {
		if m := utResult().FindStringSubmatch(text); m != nil {
			u.result(u.doc, m[1] == "ok")
		}
		u.doc = ""
		return true
	}
	u.doc = ""
	if !strings.Contains(text, " (") {
		return false
	}
	m := utVerbose().FindStringSubmatch(text)
	if m == nil || strings.Contains(m[1], "_FailedTest") {
		return false
	}
	switch m[2] {
	case "ok", "expected failure":
		u.pass(m[1])
	case "":
		u.doc = m[1]
	default:
		u.fail(m[1])
	}
	return m[2] != ""
}

// subtest reads the line of a subtest. Only failing subtests have one.
func (u *unitTest) subtest(l line) bool {
	if l.indent == 2 && strings.HasSuffix(l.text, " ... FAIL") {
		if m := utVerbose().FindStringSubmatch(l.bare); m != nil {
			u.fail(m[1])
			return true
		}
	}
	return false
}

func (u *unitTest) end() { u.flush() }
