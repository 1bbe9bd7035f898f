package format

import (
	"cmp"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// nimReader reads the stacks of Nim, whose innermost frame comes last, above the failure:
//
//	Traceback (most recent call last)
//	nim.nim(121)             nim
//	sem.nim(508)             semStmt
//	Error: unhandled exception: index out of bounds [IndexError]
type nimReader struct {
	stack backward
	last  int // the line of the last frame
}

var (
	nimFrame  = source.Lazy(`^(\S.*?\.nims?)\((\d+)(?:, ?\d+)?\) +([^\s:]+)$`)
	nimRaises = source.Lazy(`^(?:sysFatal|failedAssertImpl|raiseAssert|raise(?:Index|Range|Field|ObjectConversion)Error\w*|raiseOverflow|raiseDivByZero)$`)
	nimFailed = source.Lazy(`^Error: (?:unhandled exception: (?P<message>.*?)(?: \[(?P<kind>[A-Z]\w*)\])?|(?P<kind2>internal error): (?P<message2>.*))$|^(?P<kind3>SIG[A-Z]+): .*$`)
)

// Read implements lineReader.
func (n *nimReader) Read(s *scanner, l reportLine) bool {
	if n.last > 0 && l.N > n.last+lineBlank {
		n.Flush(s)
	}
	switch {
	case strings.Contains(l.Text, ".nim") && len(l.Text) <= maxText:
		m := nimFrame().FindStringSubmatch(l.Text)
		if m == nil {
			return false
		}
		n.stack.Add(l, crash.Frame{File: m[1], Line: atoi(m[2]), Function: m[3]})
		n.last = l.N
		return true
	case n.last == 0 || l.Text == "":
		return false
	}
	if m := groups(nimFailed, l.Text); m != nil {
		p := crash.Problem{Kind: cmp.Or(m["kind"], "error"), Message: m["message"], Line: l.N, Signal: signalNumbers[m["kind"]]}
		if p.Null = strings.Contains(l.Text, "Attempt to read from nil"); p.Null {
			p.Access = "read"
		}
		s.Fail(p)
		n.mark()
		n.stack.Keep(s, crash.Stack{Kind: crash.StackCrash, Format: "nim", Problem: s.Problem, Title: titleOf(p.Kind, p.Message)})
		n.last = 0
		return true
	}
	return false
}

// mark marks the innermost frames that raise the failure, which are of Nim's own library.
func (n *nimReader) mark() {
	for i := len(n.stack.Frames) - 1; i > 0 && nimRaises().MatchString(n.stack.Frames[i].Function); i-- {
		n.stack.Frames[i].Handler = true
	}
}

// Flush implements flusher: the failure was not printed.
func (n *nimReader) Flush(s *scanner) {
	if n.last > 0 {
		n.stack.Keep(s, crash.Stack{Kind: crash.StackCrash, Format: "nim", Problem: -1})
	}
	n.last = 0
}
