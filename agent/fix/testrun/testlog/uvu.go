package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	uvuFailure = source.Lazy(`^ {3}FAIL {2}(?:(\S.*?) )? ?"(.+)"$`)
	uvuTotal   = source.Lazy(`^ {2}(Total|Skipped): +(\d+)$`)
	uvuEnd     = source.Lazy(`^ {2}Duration: +[\d.]+\w+$`)
)

// uvu reads uvu, which names only failing tests, and the suite of each.
type uvu struct {
	*reader
	test  string // the failed test whose stack follows; "" once its place is known
	total int
	sums  bool // Total and Skipped stand before Duration
}

func (u *uvu) take(l line) bool {
	switch {
	case l.indent == 3 && l.has("FAIL  "):
		m := uvuFailure().FindStringSubmatch(l.text)
		if m == nil {
			return false
		}
		u.test = m[2]
		if suite := strings.TrimSpace(m[1]); suite != "" {
			u.test = suite + " > " + m[2]
		}
		u.fail(u.test)
		return true
	case u.test != "" && l.has("at "):
		if m := jsFrame().FindStringSubmatch(l.bare); m != nil && !libraryPath(m[1]) {
			u.place(Place{File: m[1], Line: number(m[2]), Test: u.test})
			u.test = ""
		}
		return true
	case l.indent == 2:
		return u.sum(l.text)
	}
	return false
}

// sum reads the three last lines of the summary.
func (u *uvu) sum(text string) bool {
	if m := uvuTotal().FindStringSubmatch(text); m != nil {
		if m[1] == "Total" {
			u.total, u.sums = number(m[2]), true
		} else {
			u.total -= number(m[2])
		}
		return true
	}
	if !u.sums || !uvuEnd().MatchString(text) {
		return false
	}
	u.count(u.total)
	u.sums = false
	return true
}

func (u *uvu) end() {}
