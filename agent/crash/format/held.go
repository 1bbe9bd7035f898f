package format

import (
	"slices"
	"strings"

	"git-agent/agent/crash"
)

// A backward collects the frames of a stack whose innermost frame comes last in
// the report. Of a stack that is too deep it keeps the innermost frames.
type backward struct {
	frames  []crash.Frame
	omitted int
}

func (b *backward) add(l line, f crash.Frame) {
	if len(b.frames) == 2*maxFrames {
		b.frames = append(b.frames[:0], b.frames[maxFrames:]...)
		b.omitted += maxFrames
	}
	b.frames = append(b.frames, bounded(l, f))
}

// keep adds what was collected to the report as a stack, innermost first, and
// starts afresh. A stack that got its last frame before this one began is older.
func (b *backward) keep(s *scanner, st crash.Stack) {
	if len(b.frames) == 0 {
		*b = backward{}
		return
	}
	if s.last < b.frames[0].ReportLine {
		s.close()
	}
	if n := len(b.frames) - maxFrames; n > 0 {
		b.frames = b.frames[n:]
		b.omitted += n
	}
	slices.Reverse(b.frames)
	st.Frames, st.Omitted = b.frames, b.omitted
	*b = backward{}
	s.keep(st)
}

// A margin is what a log of an unknown kind has before each line of a report. It
// is learned from the heading of the report.
type margin string

// off takes the margin off a line. Digits may differ, as those of times do.
func (m margin) off(l line) line {
	if m == "" || l.text == "" {
		return l
	}
	if l.text == strings.TrimRight(string(m), " ") {
		l.text = ""
		return l
	}
	if len(l.text) < len(m) {
		return l
	}
	for i := range len(m) {
		if m[i] != l.text[i] && !(isDigit(m[i]) && isDigit(l.text[i])) {
			return l
		}
	}
	l.indent, l.text = unindent(l.text[len(m):])
	l.logged = true
	return l
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// afterMargin returns the part of a text from a heading on, and what is before
// it as the margin of the lines that follow. The margin of a quoted line or of a
// log is short; a longer text is a sentence.
func afterMargin(text, heading string) (margin, string) {
	i := strings.Index(text, heading)
	if i <= 0 || i > 120 {
		return "", text
	}
	return margin(text[:i]), text[i:]
}

// demote makes the last stack of a format that a problem ended with, and that
// was taken for the crash's, that of a cause.
func (s *scanner) demote(format string) {
	for i := len(s.report.Stacks) - 1; i >= 0; i-- {
		st := &s.report.Stacks[i]
		if st.Format == format {
			if st.Kind == crash.StackCrash {
				st.Kind = crash.StackCause
			}
			return
		}
	}
}

// titleOf writes an exception as a heading does.
func titleOf(kind, message string) string {
	if message == "" {
		return kind
	}
	return kind + ": " + message
}
