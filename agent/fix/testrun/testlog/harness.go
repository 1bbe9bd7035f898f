package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	automakeResult = source.Lazy(`^(PASS|FAIL|XPASS|ERROR): (\S+(?: \d+(?: - .*)?)?)$`)
	automakeTotal  = source.Lazy(`^# (TOTAL|SKIP): +(\d+)$`)
	litResult      = source.Lazy(`^(PASS|FAIL|XPASS|TIMEOUT|UNRESOLVED): (.+) \(\d+ of \d+\)$`)
	gocheckFailed  = source.Lazy(`^(?:FAIL|PANIC): (\S+\.go):(\d+): (\S+)$`)
	gocheckTotal   = source.Lazy(`^(?:OOPS|OK): (\d+) passed(?:.*?, (\d+) FAILED)?`)
	mesonResult    = source.Lazy(`^\d+/\d+ (.+?) +(OK|FAIL|TIMEOUT|ERROR|UNEXPECTEDPASS) +[\d.]+ ?s`)
	mesonTotal     = source.Lazy(`^(?:Ok|Fail|Expected Fail|Unexpected Pass|Timeout): +(\d+)$`)
	proveFailed    = source.Lazy(`^(\S+) +\(Wstat: (\d+).* Tests: \d+ Failed: (\d+)\)$`)
	provePlace     = source.Lazy(`^ *#  +at (\S+) line (\d+)\.$`)
	provePassed    = source.Lazy(`^(\S+) \.\.+ ok$`)
	proveTotal     = source.Lazy(`^Files=\d+, Tests=(\d+),`)
	bazelResult    = source.Lazy(`^(//\S+) +(?:\(cached\) )?(PASSED|FAILED|TIMEOUT|FLAKY)(?:,? .*)?$`)
	dotnetResult   = source.Lazy(`^\s+(Passed|Failed) (\S.*?) \[(?:< )?\d+.*\]$`)
	dotnetOld      = source.Lazy(`^ *(Passed|Failed)   (\S+)$`)
	xunitFailed    = source.Lazy(`^(?:\[xUnit\.net [\d:.]+\])? +(\S.*) \[FAIL\]$`)
	dotnetTotal    = source.Lazy(`^(?:Failed|Passed)! +- Failed: +(\d+), Passed: +(\d+), Skipped: `)
	dotnetPlace    = source.Lazy(`^at .* in (\S.*):line (\d+)$`)
	xcResult       = source.Lazy(`^Test Case '(.+)' (passed|failed) \(`)
	xcPlace        = source.Lazy(`^(\S[^:]*):(\d+): error: (.+?) : (.*)$`)
)

// harness reads general test drivers: Automake, Meson, prove, lit, Bazel, gocheck, dotnet test
// and XCTest.
type harness struct {
	*reader
	test string // the failed test of dotnet whose stack follows
}

func (h *harness) take(l line) bool {
	switch t := l.text; {
	case t == "":
		return false
	case l.has("#"):
		return h.commented(t)
	case t == "No tests defined.": // Meson
		h.ranNone = true
		return true
	case strings.HasSuffix(t, " [FAIL]"):
		return h.found(xunitFailed().FindStringSubmatch(t), 1, false)
	case strings.Contains(t, "ms]") || strings.Contains(t, " s]") || l.has("Passed ") || l.has("Failed "):
		return h.dotnet(t)
	case l.has("at ") && h.test != "":
		return h.dotnetPlace(l.bare)
	case strings.Contains(t, ": "):
		return h.colon(t)
	case strings.HasPrefix(t, "//"):
		m := bazelResult().FindStringSubmatch(t)
		return h.found(m, 1, m != nil && (m[2] == "PASSED" || m[2] == "FLAKY"))
	case strings.HasPrefix(t, "Test Case '"):
		m := xcResult().FindStringSubmatch(t)
		return h.found(m, 1, m != nil && m[2] == "passed")
	case strings.HasSuffix(t, " ok"):
		return h.found(provePassed().FindStringSubmatch(t), 1, true)
	case strings.HasPrefix(t, "Files="):
		return h.total(proveTotal().FindStringSubmatch(t), 1)
	}
	return h.meson(l.bare)
}

func (h *harness) end() {}

// found notes the result of a test; a group of m has the name.
func (h *harness) found(m []string, name int, passed bool) bool {
	if m != nil {
		h.result(m[name], passed)
	}
	return m != nil
}

func (h *harness) total(m []string, groups ...int) bool {
	if m == nil {
		return false
	}
	n := 0
	for _, g := range groups {
		n += number(m[g])
	}
	h.count(n)
	return true
}

// commented reads summaries of Automake and places of Perl's tests.
func (h *harness) commented(text string) bool {
	if m := provePlace().FindStringSubmatch(text); m != nil {
		h.place(Place{File: m[1], Line: number(m[2])})
		return true
	}
	m := automakeTotal().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if m[1] == "TOTAL" {
		h.count(number(m[2]))
	} else {
		h.counted = max(h.counted-number(m[2]), 0)
	}
	return true
}

// colon reads lines of the form "WORD: ...".
func (h *harness) colon(text string) bool {
	word, _, _ := strings.Cut(text, ": ")
	switch word {
	case "PASS", "FAIL", "XPASS", "ERROR", "TIMEOUT", "UNRESOLVED", "PANIC":
		return h.tested(text)
	case "OOPS", "OK":
		return h.total(gocheckTotal().FindStringSubmatch(text), 1, 2)
	case "Failed!  - Failed", "Passed!  - Failed":
		return h.total(dotnetTotal().FindStringSubmatch(text), 1, 2)
	case "Ok", "Fail", "Expected Fail", "Unexpected Pass", "Timeout":
		return h.total(mesonTotal().FindStringSubmatch(text), 1)
	}
	if m := proveFailed().FindStringSubmatch(text); m != nil {
		return h.found(m, 1, number(m[2])+number(m[3]) == 0)
	}
	if m := xcPlace().FindStringSubmatch(text); m != nil && strings.HasPrefix(m[4], "XC") {
		h.place(Place{File: m[1], Line: number(m[2]), Text: m[4], Test: m[3]})
		return true
	}
	return h.meson(strings.TrimSpace(text))
}

// tested reads a result of Automake, lit or gocheck.
func (h *harness) tested(text string) bool {
	if m := gocheckFailed().FindStringSubmatch(text); m != nil {
		h.place(Place{File: m[1], Line: number(m[2]), Test: m[3]})
		return h.found(m, 3, false)
	}
	m := litResult().FindStringSubmatch(text)
	if m == nil {
		m = automakeResult().FindStringSubmatch(text)
	}
	return h.found(m, 2, m != nil && m[1] == "PASS")
}

func (h *harness) meson(text string) bool {
	if !strings.Contains(text, "/") || text[0] < '0' || text[0] > '9' {
		return false
	}
	m := mesonResult().FindStringSubmatch(text)
	return h.found(m, 1, m != nil && m[2] == "OK")
}

func (h *harness) dotnet(text string) bool {
	m := dotnetResult().FindStringSubmatch(text)
	if m == nil {
		m = dotnetOld().FindStringSubmatch(text)
	}
	if h.test = ""; m != nil && m[1] == "Failed" {
		h.test = m[2]
	}
	return h.found(m, 2, m != nil && m[1] == "Passed")
}

func (h *harness) dotnetPlace(text string) bool {
	m := dotnetPlace().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	h.place(Place{File: m[1], Line: number(m[2]), Test: h.test})
	h.test = ""
	return true
}
