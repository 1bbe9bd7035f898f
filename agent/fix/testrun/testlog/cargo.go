package testlog

import (
	"cmp"
	"strings"

	"git-agent/agent/source"
)

var (
	cargoResult = source.Lazy(`^test (.+?)(?: - should panic(?: .*)?)? \.\.\. (?:.*?)(ok|FAILED|ignored(?:, .*)?)$`)
	cargoTotal  = source.Lazy(`^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed;`)
	cargoStdout = source.Lazy(`^---- (.+) (?:stdout|stderr) ----$`)
	rustThread  = source.Lazy(`^\s*thread '([^']+)'`)
	rustPanic   = source.Lazy(`panicked at (?:'(.*)', )?([^\s':]+\.rs):(\d+):\d+:?$`)
	rustNoPanic = source.Lazy(`did not panic as expected(?: at ([^\s:]+\.rs):(\d+):\d+)?`)
	nextest     = source.Lazy(`^\s+(PASS|FAIL|SIGABRT|SIGSEGV|TIMEOUT) \[ *[\d.]+s\] (?:\([^)]*\) )?(.+)$`)
	nextestEnd  = source.Lazy(`^\s+Summary \[ *[\d.]+s\] +(\d+)(?:/\d+)? tests? run:`)
)

// cargo reads cargo test and cargo nextest.
type cargo struct {
	*reader
	test    string // the test whose output follows
	nextest bool   // nextest runs the tests and quotes the output of their binaries
	start   cargoStart
}

func (c *cargo) take(l line) bool {
	c.start.see(l)
	switch {
	case l.indent == 0 && l.has("test result: "):
		return c.total(cargoTotal().FindStringSubmatch(l.text), 1, 2)
	case l.indent == 0 && l.has("test "):
		return c.resulted(l.text)
	case l.indent == 0 && l.has("---- "):
		if m := cargoStdout().FindStringSubmatch(l.text); m != nil {
			c.test = m[1]
			return true
		}
	case strings.Contains(l.text, "panicked at ") || strings.Contains(l.text, "did not panic"):
		return c.panicked(l.text)
	case l.indent > 0 && strings.Contains(l.text, " ["):
		return c.next(l.text)
	case strings.HasSuffix(l.text, " has overflowed its stack"):
		if t := rustThread().FindStringSubmatch(l.text); t != nil && t[1] != "main" {
			c.result(t[1], false) // the process ends without a result of the test
			return true
		}
	}
	return false
}

func (c *cargo) end() { c.report.Refusal = cmp.Or(c.report.Refusal, c.start.refusal()) }

func (c *cargo) resulted(text string) bool {
	m := cargoResult().FindStringSubmatch(text)
	if m != nil && !c.nextest && !strings.HasPrefix(m[2], "ignored") {
		c.result(m[1], m[2] == "ok")
	}
	return m != nil
}

// total adds the numbers of a summary in some groups of m.
func (c *cargo) total(m []string, groups ...int) bool {
	if m == nil || c.nextest {
		return false
	}
	n := 0
	for _, g := range groups {
		n += number(m[g])
	}
	c.count(n)
	return true
}

// panicked reads the place of a panic. Failed assertions of Rust panic.
func (c *cargo) panicked(text string) bool {
	m := rustPanic().FindStringSubmatch(text)
	if m == nil {
		if m = rustNoPanic().FindStringSubmatch(text); m == nil || m[1] == "" {
			return false
		}
		m = []string{m[0], m[0], m[1], m[2]}
	}
	test := c.test
	if t := rustThread().FindStringSubmatch(text); t != nil && t[1] != "main" {
		test = t[1] // test threads have the names of their tests
	}
	if !libraryPath(m[2]) {
		c.place(Place{File: m[2], Line: number(m[3]), Text: m[1], Test: test})
	}
	return true
}

func (c *cargo) next(text string) bool {
	if m := nextest().FindStringSubmatch(text); m != nil {
		c.result(m[2], m[1] == "PASS")
		c.nextest = true
		return true
	}
	m := nextestEnd().FindStringSubmatch(text)
	if m != nil {
		c.count(number(m[1]))
	}
	return m != nil
}
