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
	// The method or the field of a null object, in the messages of Java and of Android: the innermost line names it.
	nullIn = source.Lazy(
		`^(?:Cannot invoke "[\w.$]*[.$](\w+)\(|Cannot (?:read|assign) field "(\w+)"|` +
			`Attempt to invoke \w+ method '[^']*?\.(\w+)\(|Attempt to (?:read from|write to) field '[^']*?\.(\w+)' )`,
	)
	// Methods that no line has to name: those of loops, of boxed numbers, of switches, and of operators of Kotlin.
	unnamedIn = source.Lazy(
		`^(?:iterator|hasNext|next|\w+Value|hashCode|ordinal|equals|close|getClass|get|set|add|plus\w*|minus\w*|times|div|rem|not|inc|dec|` +
			`contains|compareTo|invoke|rangeTo|toString|valueOf|length|size|component\d+)$`,
	)
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
	case s.Format == "java":
		form = nullIn
	case !report.At(ref).Assertion:
		return ""
	}
	if m := form().FindStringSubmatch(report.Problems[s.Problem].Message); m != nil {
		name := strings.Join(m[1:], "")
		if s.Format == "java" && unnamedIn().MatchString(name) {
			return ""
		}
		return name
	}
	return ""
}

// namedAt reports whether the statement at a line of Java or Kotlin names a method or a field, or in Kotlin, the property that a method
// gets or sets.
func (t *fileText) namedAt(line int, name string) bool {
	last := line
	for last < min(len(t.lines), line+besideRaise) && (isOpen(t.lines[line-1:last]) || chained().Match(t.lines[last])) {
		last++
	}
	names := []string{name}
	if m := accessed().FindStringSubmatch(name); m != nil {
		names = append(names, strings.ToLower(m[1])+m[2], "is"+m[1]+m[2])
	}
	return slices.ContainsFunc(names, func(n string) bool { return mentions(t.lines[line-1:last], n) })
}

var (
	chained  = source.Lazy(`^\s*\??\.\w`)                  // a line that goes on with a call
	accessed = source.Lazy(`^(?:get|set|is)([A-Z])(\w*)$`) // a method for a property
)

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
	switch {
	case conversion:
		has, found = "converts no value", hasConversion(t.lines[f.Line-1])
	case report.Stacks[ref.Stack].Format == "java":
		found = t.namedAt(f.Line, name)
	default:
		found = calls(t.lines, f.Line-1, f.Line+besideRaise, f.Line, name) > 0
	}
	if found {
		s := Site{At: f.Line, sure: true}
		s.Function, _ = source.FunctionAround(f.Path, t.lines, f.Line)
		return s, true
	}
	note := fmt.Sprintf("the report says line %d, which %s: it is of another version", f.Line, has)
	if s := t.siteOfFunction(f, "", note); f.Function != "" && !f.Assertion && s.Function.End > 0 {
		return s, true
	}
	return Site{Near: f.Line, Moved: true, Note: note}, true
}
