package format

import (
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
)

// hanaText reads parts of SAP HANA's dumps that stand in other texts, such as a
// ticket or a trace file: stacks, pending exceptions, and the places that lines
// of trace files name. Whole dumps are read by package hana.
type hanaText struct {
	stacks hana.StackReader
	sink   *hanaSink
	last   int
	inside bool            // a section with stacks was begun
	first  *line           // a line that may be the first frame of a bare stack
	places map[string]bool // places of trace files that were taken
}

// maxTracePlaces bounds the places that are taken of a trace file.
const maxTracePlaces = 40

// A hanaSink passes on what is found to the scanner.
type hanaSink struct{ s *scanner }

func (k *hanaSink) Problem(p crash.Problem) { k.s.fail(p) }

func (k *hanaSink) Stack(st crash.Stack) {
	frames := st.Frames
	nameFrames(frames)
	st.Frames = nil
	k.s.begin(st)
	for _, f := range frames {
		k.s.add(line{n: f.ReportLine, text: f.Raw}, f)
	}
	k.s.open.Omitted += st.Omitted
	k.s.close()
}

func (h *hanaText) read(s *scanner, l line) bool {
	if h.sink == nil {
		h.sink = &hanaSink{s}
		h.stacks.Sink = h.sink
		h.places = map[string]bool{}
	}
	if h.stacks.Active() && l.n-h.last > 60 {
		h.stacks.End()
	}
	if h.section(l.text) {
		return true
	}
	if h.stacks.Active() || h.inside || startsHANA(l.text) {
		if h.stacks.Line(l.n, l.text) {
			h.last = l.n
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

func (h *hanaText) flush(*scanner) {
	if h.sink != nil {
		h.stacks.End()
	}
}

// startsHANA recognizes lines that only HANA's reports have: headings of stacks,
// heads of exceptions and of threads, and frames on one line.
func startsHANA(t string) bool {
	if len(t) < 8 {
		return false
	}
	switch {
	case t[0] == '-':
		return strings.Contains(t, "-> ") && (strings.Contains(t, "Symbolic stack backtrace <-") || strings.Contains(t, "Pending exceptions"))
	case t[0] == 'e':
		return strings.HasPrefix(t, "exception ") && strings.Contains(t, ": no.")
	case t[0] >= '0' && t[0] <= '9':
		i := strings.IndexByte(t, ':')
		return i > 0 && i < 5 && strings.HasPrefix(t[i:], ": 0x") && strings.Contains(t, " in ") && strings.Contains(t, "+0x") ||
			strings.Contains(t, "[thr=") && strings.HasSuffix(t, " at")
	}
	return false
}

// trace reads a line of a trace file whose severity is warning, error, or fatal.
func (h *hanaText) trace(s *scanner, l line) bool {
	t, ok := hana.ParseTraceLine(l.text)
	if !ok || t.Severity == 'i' || t.Severity == 'd' {
		return false
	}
	key := strings.ToLower(t.Place.File) + ":" + strconv.Itoa(t.Place.Line)
	if h.places[key] || len(h.places) == maxTracePlaces {
		return false
	}
	h.places[key] = true
	if t.Severity != 'w' {
		s.fail(crash.Problem{Kind: "trace " + map[byte]string{'e': "error", 'f': "fatal"}[t.Severity], Message: t.Component + ": " + t.Message, Line: l.n})
	}
	s.addPlace(l, "hana", t.Place)
	return true
}

// bare reads stacks without addresses, as SAP's notes quote them: two lines that
// follow one another and have the numbers 0 and 1, or 1 and 2, and qualified
// names.
func (h *hanaText) bare(l line) bool {
	first := h.first
	h.first = nil
	if len(l.text) > 1000 || len(l.text) < 6 || !strings.HasPrefix(l.text[1:], ": ") || !strings.Contains(l.text, "::") || strings.ContainsAny(l.text, "\"'=;") {
		return false
	}
	if first != nil && first.n == l.n-1 && l.text[0] == first.text[0]+1 {
		h.stacks.Line(first.n, first.text)
		h.last = l.n
		return h.stacks.Line(l.n, l.text)
	}
	if l.text[0] == '0' || l.text[0] == '1' {
		h.first = &l
	}
	return false
}
