package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// clusterfuzz reads the text of issues that ClusterFuzz files: the type and the
// address of a crash, and its state, which is the names of the topmost functions.
type clusterfuzz struct {
	state int // the last line of the state, 0 outside of it
	count int
}

// maxState bounds the functions of a state, which has three and at times some more.
const maxState = 8

var (
	fuzzAccess = source.Lazy(`(?i)\b(read|write)\b`)
	fuzzFile   = source.Lazy(`^[\w./+-]+\.(?:c|cc|cpp|cxx|h|hh|hpp|m|mm|rs|go|java|py|js|S)$`)
)

func (c *clusterfuzz) read(s *scanner, l line) bool {
	if c.state > 0 && l.n-c.state == 1 {
		return c.function(s, l)
	}
	c.state = 0
	if !strings.HasPrefix(l.text, "Crash ") {
		return false
	}
	label, value, ok := strings.Cut(strings.TrimPrefix(l.text, "Crash "), ":")
	if !ok {
		return false
	}
	value = strings.TrimSpace(value)
	switch label {
	case "Type":
		c.fail(s, l, value)
	case "Address":
		if p := s.failing(); p != nil {
			setAddress(p, value)
			p.Null = p.Null && (p.Kind == "UNKNOWN" || strings.HasPrefix(p.Kind, "Segv")) || strings.HasPrefix(p.Kind, "Null-dereference")
		}
	case "State":
		s.begin(crash.Stack{Kind: crash.StackCrash, Format: "clusterfuzz"})
		c.state, c.count = l.n, 0
	default:
		return false
	}
	return true
}

// fail reads "Heap-buffer-overflow READ 8": the kind, the access, and its size.
func (c *clusterfuzz) fail(s *scanner, l line, value string) {
	p := crash.Problem{Kind: value, Message: value, Line: l.n}
	if m := fuzzAccess().FindStringIndex(value); m != nil && m[0] > 0 {
		p.Kind = strings.TrimSpace(value[:m[0]])
		p.Access = strings.ToLower(value[m[0]:m[1]])
	}
	s.fail(p)
}

// function reads a line of the state: a function, or a file where no function was
// known.
func (c *clusterfuzz) function(s *scanner, l line) bool {
	if !isState(l.text) || c.count == maxState || !s.isOpen("clusterfuzz") {
		c.state = 0
		return false
	}
	c.state = l.n
	c.count++
	var f crash.Frame
	if fuzzFile().MatchString(l.text) {
		f.File = l.text
	} else {
		f.Symbol, f.Function = symbolOf(l.text)
	}
	s.add(l, f)
	return true
}

// isState tells a function or a file of a state from the text below it.
func isState(t string) bool {
	if t == "" || strings.Contains(t, ": ") || !source.IsIdentByte(t[0]) && strings.IndexByte("-+~<(?*", t[0]) < 0 {
		return false
	}
	return !strings.Contains(t, " ") || strings.ContainsAny(t, ":<([")
}
