package format

import (
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
	"git-agent/agent/source"
)

// hanaText reads parts of SAP HANA's dumps in other texts, such as a ticket or a trace file:
// stacks, pending exceptions, and the places in lines of trace files. Package hana reads whole
// dumps.
type hanaText struct {
	stacks hana.StackReader
	sink   *hanaSink
	last   int
	inside bool            // a section with stacks was begun
	first  *reportLine     // a line that may be the first frame of a bare stack
	places map[string]bool // places of trace files that were read
}

// maxTracePlaces limits the places that are read from a trace file.
const maxTracePlaces = 40

// A hanaSink passes findings to the scanner.
type hanaSink struct{ s *scanner }

func (k *hanaSink) Problem(p crash.Problem) { k.s.Fail(p) }

func (k *hanaSink) Stack(st crash.Stack) {
	frames := st.Frames
	NameFrames(frames)
	st.Frames = nil
	k.s.Begin(st)
	for _, f := range frames {
		k.s.Add(reportLine{N: f.ReportLine, Text: f.Raw}, f)
	}
	k.s.Open.Omitted += st.Omitted
	k.s.Close()
}

func (h *hanaText) Read(s *scanner, l reportLine) bool {
	if h.sink == nil {
		h.sink = &hanaSink{s}
		h.stacks.Sink = h.sink
		h.places = map[string]bool{}
	}
	if h.stacks.Active() && l.N-h.last > 60 {
		h.stacks.End()
	}
	if h.section(l.Text) {
		return true
	}
	if h.stacks.Active() || h.inside || startsHANA(l.Text) {
		if h.stacks.Line(l.N, l.Text) {
			h.last = l.N
			h.first = nil
			return true
		}
	}
	return h.trace(s, l) || h.bare(l)
}

// section reads the lines that start and end a section with stacks.
func (h *hanaText) section(t string) bool {
	start := strings.HasPrefix(t, "[CRASH_STACK]") || strings.HasPrefix(t, "[STACK_SHORT]")
	if start || h.inside && strings.HasPrefix(t, "[OK]") {
		h.stacks.End()
		h.stacks.Thread = start && strings.HasPrefix(t, "[STACK")
		h.inside = start
		return true
	}
	return false
}

func (h *hanaText) Flush(*scanner) {
	if h.sink != nil {
		h.stacks.End()
	}
}

// startsHANA recognises lines that only HANA's reports have: headings of stacks, heads of
// exceptions and of threads, and frames on one line.
func startsHANA(t string) bool {
	if len(t) < 8 {
		return false
	}
	switch {
	case t[0] == '-':
		return strings.Contains(t, "-> ") && (strings.Contains(t, "Symbolic stack backtrace <-") || strings.Contains(t, "Pending exceptions"))
	case t[0] == 'e':
		return strings.HasPrefix(t, "exception ") && strings.Contains(t, ": no.")
	case source.IsDigit(t[0]):
		i := strings.IndexByte(t, ':')
		return i > 0 && i < 5 && strings.HasPrefix(t[i:], ": 0x") && strings.Contains(t, " in ") && strings.Contains(t, "+0x") ||
			strings.Contains(t, "[thr=") && strings.HasSuffix(t, " at")
	}
	return false
}

// trace reads a line of a trace file whose severity is warning, error, or fatal.
func (h *hanaText) trace(s *scanner, l reportLine) bool {
	t, ok := hana.ParseTraceLine(l.Text)
	if !ok || t.Severity == 'i' || t.Severity == 'd' {
		return false
	}
	key := strings.ToLower(t.Place.File) + ":" + strconv.Itoa(t.Place.Line)
	if h.places[key] || len(h.places) == maxTracePlaces {
		return false
	}
	h.places[key] = true
	if t.Severity != 'w' {
		s.Fail(
			crash.Problem{
				Kind:    "trace " + map[byte]string{'e': "error", 'f': "fatal"}[t.Severity],
				Message: t.Component + ": " + t.Message,
				Line:    l.N,
			},
		)
	}
	s.AddPlace(l, "hana", t.Place)
	return true
}

// bare reads stacks without addresses, as SAP's notes quote them. They start with two consecutive
// lines that have the numbers 0 and 1, or 1 and 2, and qualified names.
func (h *hanaText) bare(l reportLine) bool {
	first := h.first
	h.first = nil
	if len(l.Text) > 1000 || len(l.Text) < 6 || !strings.HasPrefix(l.Text[1:], ": ") || !strings.Contains(l.Text, "::") ||
		strings.ContainsAny(l.Text, "\"'=;") {
		return false
	}
	if first != nil && first.N == l.N-1 && l.Text[0] == first.Text[0]+1 {
		h.stacks.Line(first.N, first.Text)
		h.last = l.N
		return h.stacks.Line(l.N, l.Text)
	}
	if l.Text[0] == '0' || l.Text[0] == '1' {
		h.first = &l
	}
	return false
}
