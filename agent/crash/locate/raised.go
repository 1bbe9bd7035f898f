package locate

import (
	"fmt"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// panickedIn matches the method of Rust's library that panicked: the place of the panic is where it
// was called.
var panickedIn = source.Lazy("^called [`'](?:Option|Result)::(\\w+)\\(\\)[`'] on ")

// besideRaise is the number of lines behind the place of a panic that have the call: older compilers
// name the first line of the expression.
const besideRaise = 8

// siteOfRaise compares the place of a panic of Rust with the method that the message names, and
// returns false if the message names none.
func (t *fileText) siteOfRaise(report *crash.Report, ref crash.FrameRef) (Site, bool) {
	f, at := report.At(ref), report.Stacks[ref.Stack].Problem
	if !f.Assertion || at < 0 || at >= len(report.Problems) {
		return Site{}, false
	}
	m := panickedIn().FindStringSubmatch(report.Problems[at].Message)
	if m == nil || f.Line > len(t.lines) {
		return Site{}, false
	}
	s := Site{At: f.Line, sure: true}
	s.Function, _ = source.FunctionAround(f.Path, t.lines, f.Line)
	if calls(t.lines, f.Line, f.Line+besideRaise, f.Line, m[1]) > 0 {
		return s, true
	}
	note := fmt.Sprintf("the report says line %d, where nothing calls %s(): it is of another version", f.Line, m[1])
	return Site{Near: f.Line, Moved: true, Note: note}, true
}
