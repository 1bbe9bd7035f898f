package locate

import (
	"fmt"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

var (
	// The method of Rust's library that panicked: the place of the panic is where it was called.
	panickedIn = source.Lazy("^called [`'](?:Option|Result)::(\\w+)\\(\\)[`'] on ")
	// The method that an object of Ruby does not have: the innermost line calls it.
	undefinedIn = source.Lazy("^undefined (?:local variable or )?method [`']([A-Za-z_]\\w*[?!]?)'")
)

// besideRaise is the number of lines behind the place of a panic that have the call: older compilers
// name the first line of the expression.
const besideRaise = 8

// raisedBy returns the name that the line of a frame has by the message of the failure, "" for none.
func raisedBy(report *crash.Report, ref crash.FrameRef) string {
	s := report.Stacks[ref.Stack]
	if s.Problem < 0 || s.Problem >= len(report.Problems) || ref.Frame > 0 {
		return ""
	}
	form := panickedIn
	switch {
	case s.Format == "ruby":
		form = undefinedIn
	case !report.At(ref).Assertion:
		return ""
	}
	if m := form().FindStringSubmatch(report.Problems[s.Problem].Message); m != nil {
		return m[1]
	}
	return ""
}

// siteOfRaise compares the line of a frame with the name that the message has of it, and returns false
// if it has none.
func (t *fileText) siteOfRaise(report *crash.Report, ref crash.FrameRef) (Site, bool) {
	f, name := report.At(ref), raisedBy(report, ref)
	if name == "" || f.Line > len(t.lines) {
		return Site{}, false
	}
	s := Site{At: f.Line, sure: true}
	s.Function, _ = source.FunctionAround(f.Path, t.lines, f.Line)
	if calls(t.lines, f.Line-1, f.Line+besideRaise, f.Line, name) > 0 {
		return s, true
	}
	note := fmt.Sprintf("the report says line %d, which does not have %s: it is of another version", f.Line, name)
	return Site{Near: f.Line, Moved: true, Note: note}, true
}
