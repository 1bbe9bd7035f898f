package locate

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

var (
	// The method of Rust's library that panicked: the place of the panic is where it was called.
	panickedIn = source.Lazy("^called [`'](?:Option|Result)::(\\w+)\\(\\)[`'] on ")
	// The method that an object of Ruby does not have: the innermost line calls it.
	undefinedIn = source.Lazy("^undefined (?:local variable or )?method [`']([A-Za-z_]\\w*[?!]?)'")
	// A conversion in Go that tells whether it is possible does not panic.
	convertedIf = source.Lazy(`,\s*(?:ok|found|is\w*|exists?|\w*Ok)\s*:?=`)
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

// converts reports whether a panic of Go is one of a conversion in a frame: the frames inside of it are of the run-time.
func converts(report *crash.Report, ref crash.FrameRef) bool {
	s := report.Stacks[ref.Stack]
	return s.Format == "go" && s.Kind == crash.StackCrash && s.Problem >= 0 && s.Problem < len(report.Problems) &&
		strings.HasPrefix(report.Problems[s.Problem].Message, "interface conversion: ") &&
		!slices.ContainsFunc(s.Frames[:ref.Frame], func(f crash.Frame) bool { return f.Function != "panic" && !Foreign(f) })
}

// hasConversion reports whether a line of Go converts an interface to a type and panics if it cannot.
func hasConversion(line []byte) bool {
	before, _, found := bytes.Cut(line, []byte(".("))
	return found && !convertedIf().Match(before)
}

// siteOfRaise compares the line of a frame with what the message tells of it, the name that it has or
// that it converts a value, and returns false if it tells nothing.
func (t *fileText) siteOfRaise(report *crash.Report, ref crash.FrameRef) (Site, bool) {
	f, name := report.At(ref), raisedBy(report, ref)
	conversion := converts(report, ref)
	if name == "" && !conversion || f.Line > len(t.lines) {
		return Site{}, false
	}
	has := fmt.Sprintf("does not have %s", name)
	found := false
	if conversion {
		has, found = "converts no value", hasConversion(t.lines[f.Line-1])
	} else {
		found = calls(t.lines, f.Line-1, f.Line+besideRaise, f.Line, name) > 0
	}
	if found {
		s := Site{At: f.Line, sure: true}
		s.Function, _ = source.FunctionAround(f.Path, t.lines, f.Line)
		return s, true
	}
	note := fmt.Sprintf("the report says line %d, which %s: it is of another version", f.Line, has)
	if s := t.siteOfFunction(f, "", note); conversion && s.Function.End > 0 {
		return s, true
	}
	return Site{Near: f.Line, Moved: true, Note: note}, true
}
