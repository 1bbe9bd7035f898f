package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// clusterFuzzReader reads the text of issues filed by ClusterFuzz: the type and the address of a
// crash, and its state, which lists the topmost functions.
type clusterFuzzReader struct {
	state int // the last line of the state, 0 outside of it
	count int
}

// maxState limits the functions of a state, which usually has three and sometimes more.
const maxState = 8

var (
	fuzzAccess = source.Lazy(`(?i)\b(read|write)\b`)
	fuzzFile   = source.Lazy(`^[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|rs|go|java|py|js|S)$`)
)

// Read implements lineReader.
func (c *clusterFuzzReader) Read(s *scanner, l reportLine) bool {
	if c.state > 0 && l.N-c.state == 1 {
		return c.function(s, l)
	}
	c.state = 0
	if !strings.HasPrefix(l.Text, "Crash ") {
		return false
	}
	label, value, ok := strings.Cut(strings.TrimPrefix(l.Text, "Crash "), ":")
	if !ok {
		return false
	}
	value = strings.TrimSpace(value)
	switch label {
	case "Type":
		c.fail(s, l, value)
	case "Address":
		if p := s.Failing(); p != nil {
			setAddress(p, value)
			p.Null = p.Null && (p.Kind == "UNKNOWN" || strings.HasPrefix(p.Kind, "Segv")) || strings.HasPrefix(p.Kind, "Null-dereference")
		}
	case "State":
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "clusterfuzz"})
		c.state, c.count = l.N, 0
	default:
		return false
	}
	return true
}

// fail reads "Heap-buffer-overflow READ 8": the kind, the access, and its size.
func (c *clusterFuzzReader) fail(s *scanner, l reportLine, value string) {
	p := crash.Problem{Kind: value, Message: value, Line: l.N}
	if m := fuzzAccess().FindStringIndex(value); m != nil && m[0] > 0 {
		p.Kind = strings.TrimSpace(value[:m[0]])
		p.Access = strings.ToLower(value[m[0]:m[1]])
	}
	s.Fail(p)
}

// function reads a line of the state: a function, or a file if the function is unknown.
func (c *clusterFuzzReader) function(s *scanner, l reportLine) bool {
	if !isState(l.Text) || c.count == maxState || !s.IsOpen("clusterfuzz") {
		c.state = 0
		return false
	}
	c.state = l.N
	c.count++
	var f crash.Frame
	if fuzzFile().MatchString(l.Text) {
		f.File = l.Text
	} else {
		f.Symbol, f.Function = symbolOf(l.Text)
	}
	s.Add(l, f)
	return true
}

// isState distinguishes a function or a file of a state from the text below it.
func isState(t string) bool {
	if t == "" || strings.Contains(t, ": ") || !source.IsIdentByte(t[0]) && strings.IndexByte("-+~<(?*", t[0]) < 0 {
		return false
	}
	return !strings.Contains(t, " ") || strings.ContainsAny(t, ":<([")
}
