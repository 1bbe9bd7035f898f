package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// assertionReader reads the messages of failed assertions and checks. They name the place where
// the program detected an error. The stack after them begins in the library that ended the
// program.
type assertionReader struct{}

// swiftFatal is a part of the messages with which Swift ends a program.
const swiftFatal = "atal error"

// assertions are the forms of such messages. The named groups are file, line, func, and expr.
var assertions = []struct {
	needle  string // a part of every such line, for speed
	pattern source.Pattern
}{
	// Swift: Main.swift:12: Fatal error: message, and Fatal error: message: file App/Main.swift, line 12
	{swiftFatal, source.Lazy(`(?:^|\s)(?P<file>[\w/.+-]+\.swift):(?P<line>\d+): Fatal error(?:: (?P<expr>.*))?$`)},
	{swiftFatal, source.Lazy(`[Ff]atal error: (?P<expr>.*?): file (?P<file>[^,]+\.swift), line (?P<line>\d+)`)},
	// systemd, FRR, Samba: Assertion 'x' failed at src/a.c:312, function f(). Aborting.
	{
		"failed at ",
		source.Lazy("(?i)assertion [`'\"(](?P<expr>.*)[`'\")] failed at (?P<file>[^\\s:]+):(?P<line>\\d+)(?:, function (?P<func>[\\w:~]+))?"),
	},
	// glibc: prog: file.c:12: f: Assertion `x' failed.
	{"Assertion ", source.Lazy("(?:^|[\\s:])(?P<file>[^\\s:]+\\.\\w+):(?P<line>\\d+): (?P<func>[^`]*?): Assertion [`'\"](?P<expr>.*?)['\"] failed")},
	// BSD, macOS: Assertion failed: (x), function f, file a.c, line 12.
	{"Assertion failed", source.Lazy(`Assertion failed: \(?(?P<expr>.*?)\)?, function (?P<func>[^,]+), file (?P<file>[^,]+), line (?P<line>\d+)`)},
	// Microsoft: Assertion failed: x, file a.c, line 12
	{"Assertion failed", source.Lazy(`Assertion failed: (?P<expr>.*?), file (?P<file>.+?), line (?P<line>\d+)`)},
	// musl: Assertion failed: x (a.c: f: 12)
	{"Assertion failed", source.Lazy(`Assertion failed: (?P<expr>.*) \((?P<file>[^\s:]+): (?P<func>[^:]+): (?P<line>\d+)\)`)},
	// GLib: ERROR:a.c:12:f: assertion failed: (x)
	{
		"assertion failed",
		source.Lazy(`(?:ERROR:)?(?P<file>[^\s:]+\.\w+):(?P<line>\d+):(?P<func>\w+)(?:: |:)(?:code should|assertion failed:? ?)\(?(?P<expr>.*?)\)?$`),
	},
	// Open vSwitch: lib/a.c:12: assertion x failed in f()
	{"assertion ", source.Lazy(`(?P<file>[^\s:|]+\.\w+):(?P<line>\d+): assertion (?P<expr>.*) failed in (?P<func>\w+)`)},
	// glog, Chromium: a.cc:12] Check failed: x
	{"Check failed", source.Lazy(`(?P<file>[^\s:(\[]+\.\w+)[:(](?P<line>\d+)\)?\] Check failed: (?P<expr>.*)$`)},
	// The kernel: kernel BUG at mm/slub.c:12!
	{"BUG at ", source.Lazy(`kernel BUG at (?P<file>[^\s:]+):(?P<line>\d+)!?(?P<expr>)`)},
	{"BUG at ", source.Lazy(`Xen BUG at (?P<file>[^\s:]+):(?P<line>\d+)(?P<expr>)`)},
	{"WARNING: CPU", source.Lazy(`WARNING: CPU: \d+ PID: \d+ at (?P<file>[^\s:]+):(?P<line>\d+)(?: (?P<func>\w+)\+0x)?(?P<expr>)`)},
	// git: BUG: refs.c:12: message
	{"BUG: ", source.Lazy(`BUG: (?P<file>[^\s:]+\.\w+):(?P<line>\d+): (?P<expr>.*)$`)},
	// DPDK and others: a.c:12: f: assertion, panic, or check that failed
	{
		"",
		source.Lazy(
			`(?i)^(?:\S+: )?(?P<file>[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|rs|go|d|zig)):(?P<line>\d+):? ?(?P<expr>.*\b(?:assert(?:ion)?s?|panic(?:ked)?|abort(?:ed|ing)?|check) ?(?:failed|failure|\().*)$`,
		),
	},
	{
		"",
		source.Lazy(
			`(?i)\bassert(?:ion)? (?:failed|failure)[^/\w]*(?P<expr>.*?)[ (,]+(?:at )?(?P<file>[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm)):(?P<line>\d+)`,
		),
	},
}

// Read implements lineReader.
func (*assertionReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	if len(t) < 10 || len(t) > 4000 || !mayAssert(t) {
		return false
	}
	for _, a := range assertions {
		if a.needle != "" && !strings.Contains(t, a.needle) {
			continue
		}
		re := a.pattern()
		m := re.FindStringSubmatch(t)
		if m == nil {
			continue
		}
		group := func(name string) string {
			if i := re.SubexpIndex(name); i >= 0 {
				return m[i]
			}
			return ""
		}
		s.Found("assertion")
		kind := "assertion"
		if a.needle == swiftFatal {
			kind = "Fatal error"
		}
		s.Fail(crash.Problem{Kind: kind, Message: strings.TrimSpace(group("expr")), Line: l.N})
		f := crash.Frame{File: group("file"), Line: atoi(group("line"))}
		f.Symbol, f.Function = symbolOf(strings.TrimSuffix(group("func"), "()"))
		s.AddPlace(l, "assertion", f)
		return true
	}
	return false
}

// mayAssert is a quick test that rejects most other lines.
func mayAssert(t string) bool {
	for _, word := range []string{swiftFatal, "ssert", "ASSERT", "BUG", "Check failed", "WARNING: CPU", "panic", "abort", "CHECK"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}
