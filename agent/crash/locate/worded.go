package locate

import (
	"bytes"
	"fmt"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// Limits on the message of a failure that is compared with the texts of its innermost line.
const (
	leastMessage    = 12
	maxMessage      = 2000
	besideStatement = 4 // lines behind the one where a statement begins
)

// messageOf returns the message of the failure if a frame is the innermost one in a file of the project, else "".
func messageOf(report *crash.Report, ref crash.FrameRef) string {
	s := report.Stacks[ref.Stack]
	crashed := s.Kind == crash.StackCrash || s.Kind == crash.StackCause
	if !crashed || s.Problem < 0 || s.Problem >= len(report.Problems) ||
		slices.ContainsFunc(s.Frames[:ref.Frame], func(f crash.Frame) bool { return f.Path != "" }) {
		return ""
	}
	message := source.FirstBytes(report.Problems[s.Problem].Message, maxMessage)
	if len(message) < leastMessage {
		return ""
	}
	return message
}

// HasMessage reports whether a report has the place of a failure, in a file of the commit, and a message of at least so many bytes, which
// siteOfMessage can find there.
func HasMessage(report *crash.Report, least int) bool {
	for i, s := range report.Stacks {
		for j, f := range s.Frames {
			ref := crash.FrameRef{Stack: i, Frame: j}
			if f.Assertion && f.Path != "" && f.Line > 0 && raisedBy(report, ref) == "" && len(messageOf(report, ref)) >= least {
				return true
			}
		}
	}
	return false
}

// siteOfMessage compares the line of the innermost frame with the message of the failure, of which the line has the text:
// .expect("missing span"). Without the name of a function, as a panic of Rust prints its place, the only line with that text
// is where the frame is. It returns false if the texts tell nothing: a message may be made elsewhere.
func (t *fileText) siteOfMessage(report *crash.Report, ref crash.FrameRef) (Site, bool) {
	message, f := messageOf(report, ref), report.At(ref)
	if message == "" || f.Line > len(t.lines) {
		return Site{}, false
	}
	s := Site{At: f.Line, sure: true}
	last := f.Line
	for last < min(len(t.lines), f.Line+besideStatement) && isOpen(t.lines[f.Line-1:last]) {
		last++
	}
	for _, line := range t.lines[f.Line-1 : last] {
		if says(line, message) {
			s.Function, _ = source.FunctionAround(f.Path, t.lines, f.Line)
			return s, true
		}
	}
	if f.Function != "" || !f.Assertion {
		return Site{}, false
	}
	s.At, s.Moved = 0, true
	for i, line := range t.lines {
		if !says(line, message) {
			continue
		}
		if s.At > 0 {
			return Site{}, false // there are several
		}
		s.At = i + 1
	}
	inside := false
	s.Function, inside = source.FunctionAround(f.Path, t.lines, s.At)
	s.Note = fmt.Sprintf("the only line with the message; the report says line %d", f.Line)
	if s.Function.Start <= f.Line && f.Line <= s.Function.End {
		return Site{}, false // a variable may have the message
	}
	return s, s.At > 0 && inside
}

// says reports whether a line has a text of which a message is made.
func says(line []byte, message string) bool {
	return slices.ContainsFunc(source.LiteralsIn(source.FirstBytes(string(line), maxMessage)), func(text string) bool {
		return source.LiteralInText(text, message) > 0
	})
}

// isOpen reports whether the brackets of lines are not all closed.
func isOpen(lines [][]byte) bool {
	opened, closed := 0, 0
	for _, line := range lines {
		opened += bytes.Count(line, []byte("("))
		closed += bytes.Count(line, []byte(")"))
	}
	return opened > closed
}
