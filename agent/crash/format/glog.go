package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// glogReader reads the stacks printed by the failure handlers of glog and Abseil, and those of
// Folly, which have the same form.
type glogReader struct {
	last int
}

var (
	glogFrame  = source.Lazy(`^(?:(?:.{0,60}[:➜]\s+)?(PC: )|.{0,60}[:➜]\s+)?@\s+(0x[0-9a-f]{1,16}|[0-9a-f]{6,16})\s+(?:\d+\s+)?(\S.*?)$`)
	glogSignal = source.Lazy(`\*\*\* (?:Signal \d+ \()?(SIG\w+)\)? (?:\(@?(0x[0-9a-f]+|nil)[^)]*\) )?(?:received (?:by|at)|\(0x[0-9a-f]+\) received)`)
	glogCode   = source.Lazy(`^(.*) \((\S+\.so[\d.]*|/\S+)\)$`)
)

// Read implements lineReader.
func (g *glogReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case len(t) < 8 || len(t) > 8000:
		return false
	case strings.Contains(t, "*** "):
		return g.head(s, l)
	case strings.Contains(t, "@ "):
		return g.frame(s, l)
	}
	return false
}

// head reads "*** SIGSEGV (@0x0) received by PID 12 ...; stack trace: ***".
func (g *glogReader) head(s *scanner, l reportLine) bool {
	if strings.Contains(l.Text, "stack trace: ***") && !strings.Contains(l.Text, "SIG") {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "glog"})
		g.last = l.N
		return true
	}
	m := glogSignal().FindStringSubmatch(l.Text)
	if m == nil || signalNumbers[m[1]] == 0 {
		return false
	}
	p := crash.Problem{Kind: m[1], Signal: signalNumbers[m[1]], Message: l.Text, Line: l.N}
	if m[2] != "" && p.Kind != "SIGABRT" {
		p.Address = m[2]
		p.Null = crash.NearNull(m[2])
	}
	// A failed check is the reason for the abort after it.
	if old := s.Failing(); old == nil || old.Kind != "assertion" || p.Kind != "SIGABRT" || l.N-old.Line > 60 {
		s.Fail(p)
	}
	if !s.IsOpen("glog") || len(s.Open.Frames) > 1 {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "glog"})
	}
	g.last = l.N
	return true
}

// frame reads "    @     0x7fec17006387 __GI_raise".
func (g *glogReader) frame(s *scanner, l reportLine) bool {
	m := glogFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if m[1] != "" {
		return true // the program counter is the first frame too
	}
	if !s.IsOpen("glog") || l.N-g.last > 8 {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "glog"})
	}
	g.last = l.N
	var f crash.Frame
	name := m[3]
	if c := glogCode().FindStringSubmatch(name); c != nil {
		name, f.Module = c[1], c[2]
	}
	if name != "(unknown)" {
		f.Symbol, f.Function = symbolOf(name)
	}
	s.Add(l, f)
	return true
}
