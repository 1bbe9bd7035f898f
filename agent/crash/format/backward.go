package format

import (
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// backward collects the frames of a stack whose innermost frame comes last in the report. If the
// stack is too deep, backward keeps the innermost frames.
type backward struct {
	Frames  []crash.Frame
	Omitted int
}

func (b *backward) Add(l reportLine, f crash.Frame) {
	if len(b.Frames) == 2*maxFrames {
		b.Frames = append(b.Frames[:0], b.Frames[maxFrames:]...)
		b.Omitted += maxFrames
	}
	b.Frames = append(b.Frames, bounded(l, f))
}

// Quote records a text as the line of the last frame.
func (b *backward) Quote(text string) {
	if n := len(b.Frames); n > 0 && len(text) <= maxText {
		b.Frames[n-1].Quote = text
	}
}

// Keep adds the collected frames to the report as a stack, innermost first, and starts anew. If
// the open stack got its last frame before this stack began, Keep closes it first.
func (b *backward) Keep(s *scanner, st crash.Stack) {
	if len(b.Frames) == 0 {
		*b = backward{}
		return
	}
	if s.Last < b.Frames[0].ReportLine {
		s.Close()
	}
	if n := len(b.Frames) - maxFrames; n > 0 {
		b.Frames = b.Frames[n:]
		b.Omitted += n
	}
	slices.Reverse(b.Frames)
	st.Frames, st.Omitted = b.Frames, b.Omitted
	*b = backward{}
	s.keep(st)
}

// A margin is the prefix that a log of an unknown kind puts before each line of a report. The
// heading of the report shows the margin.
type margin string

// Off removes the margin from a line. Digits may differ, as in times.
func (m margin) Off(l reportLine) reportLine {
	if m == "" || l.Text == "" {
		return l
	}
	if l.Text == strings.TrimRight(string(m), " ") {
		l.Text = ""
		return l
	}
	if len(l.Text) < len(m) {
		return l
	}
	for i := range len(m) {
		if m[i] != l.Text[i] && !(source.IsDigit(m[i]) && source.IsDigit(l.Text[i])) {
			return l
		}
	}
	l.Indent, l.Text = unindent(l.Text[len(m):])
	l.logged = true
	return l
}

// marginBefore returns the text before a heading, which is the margin of the following lines. The
// margin of a quoted line or of a log is short; a longer text is a sentence.
func marginBefore(text, heading string) margin {
	i := strings.Index(text, heading)
	if i <= 0 || i > 120 {
		return ""
	}
	return margin(text[:i])
}

// Demote turns the last stack of a format, if it counts as the crash's, into the stack of a
// cause.
func (s *scanner) Demote(format string) {
	for i := len(s.Report.Stacks) - 1; i >= 0; i-- {
		st := &s.Report.Stacks[i]
		if st.Format == format {
			if st.Kind == crash.StackCrash {
				st.Kind = crash.StackCause
			}
			return
		}
	}
}

// titleOf formats an exception like a heading.
func titleOf(kind, message string) string {
	if message == "" {
		return kind
	}
	return kind + ": " + message
}
