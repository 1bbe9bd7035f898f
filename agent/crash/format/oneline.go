package format

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A oneLineReader reads the reports of one language.
type oneLineReader struct {
	lineForm
	head   reportLine  // the last line that may name the failure
	above  reportLine  // the first line above the stack that surely names one
	at     reportLine  // the line below it that has only the place of the stack, as Perl's confess prints it
	lone   bool        // the head is a report, unless a stack follows
	opened int         // the line of the heading of a stack without frames, 0 for none
	raised crash.Frame // the place that the failure of the open stack names
}

const (
	maxHeading = 80  // bytes of the heading of a stack
	lineHead   = 10  // lines between a failure and the heading of its stack
	lineAbove  = 100 // lines between what is surely a failure and the heading
	lineBlank  = 3   // lines between two frames
	lineVars   = 200 // lines between two frames with numbers, behind which may be the values of variables or frames of libraries
)

// near reports whether a line may be the next one of the open stack.
func (r *oneLineReader) near(s *scanner, l reportLine) bool {
	return s.IsOpen(r.format) && (s.Since(l) <= lineBlank || strings.IndexByte(r.apart, l.Text[0]) >= 0 && s.Since(l) <= lineVars)
}

// Read implements lineReader.
func (r *oneLineReader) Read(s *scanner, l reportLine) bool {
	if r.lone && l.N > max(r.head.N, r.opened)+lineBlank {
		r.Flush(s)
	}
	t := l.Text
	if t == "" || len(t) > maxText {
		return false
	}
	if r.opens != nil && len(t) < maxHeading && r.opens().MatchString(t) {
		if r.opened = l.N; s.IsOpen(r.format) && s.Since(l) < lineBlank {
			r.opened = 0 // the same calls again
			s.Close()
		}
		return false
	}
	if r.frame != nil && strings.Contains(t, r.has) && (r.opens == nil || r.opened > 0 || s.IsOpen(r.format)) {
		if m := groups(r.frame, t); m != nil && r.frameOf(s, l, m) {
			return true
		}
	}
	open := r.near(s, l)
	if open && r.place != nil {
		if m := groups(r.place, t); m != nil {
			r.placed(s, l, m)
			return true
		}
	}
	if open && (t == "Local variables:" || strings.HasPrefix(t, "(tail call)") || strings.HasPrefix(t, "(...") || strings.HasPrefix(t, "...")) {
		s.Last = l.N
		return true
	}
	r.failure(s, l)
	return false
}

// failure keeps a line that may name a failure.
func (r *oneLineReader) failure(s *scanner, l reportLine) {
	if r.hints != nil && !slices.ContainsFunc(r.hints, func(h string) bool { return strings.Contains(l.Text, h) }) {
		return
	}
	if r.alone != nil && strings.Contains(l.Text, r.aloneHas) && r.alone().MatchString(l.Text) {
		if wrapped := r.waits && r.lone && l.N == r.head.N+1 && !strings.HasPrefix(l.Text, r.aloneHas); !wrapped {
			r.Flush(s)
		}
		if r.head, r.lone = l, true; r.opens != nil && !r.waits {
			r.Flush(s) // no stack follows
		}
		return
	}
	if r.failed == nil {
		return
	}
	if r.far != nil && (r.above.N == 0 || l.N-r.above.N > lineAbove) && r.far().MatchString(l.Text) {
		r.above = l
	}
	names := !r.lone && (r.opens == nil || r.opened == 0 || l.N > r.opened+lineBlank)
	if r.any {
		if names {
			r.head = l
		}
		return
	}
	switch m := groups(r.failed, l.Text); {
	case m == nil:
	case m["file"] != "" && m["message"] == "":
		r.at = l
	case names:
		r.head = r.withKind(l, m)
	}
}

// withKind returns the line of a message with the kind of failure that the line above it names alone, as Flutter does:
// "The following _TypeError was thrown building MyWidget:".
func (r *oneLineReader) withKind(l reportLine, m map[string]string) reportLine {
	if m["kind"] != "" || m["message"] == "" || r.head.N != l.N-1 || r.head.Text == "" {
		return l
	}
	above := groups(r.failed, r.head.Text)
	joined := above["kind"] + ": " + m["message"]
	if above["kind"] != "" && above["message"] == "" && groups(r.failed, joined)["kind"] == above["kind"] {
		l.Text = joined
	}
	return l
}

// Flush reports a failure without a stack.
func (r *oneLineReader) Flush(s *scanner) {
	if !r.lone {
		return
	}
	m := groups(r.alone, r.head.Text)
	if f := (crash.Frame{File: m["file"], Line: atoi(m["line"])}); r.spare {
		f.Assertion = true
		s.Spare(r.problem(m), crash.Stack{Format: r.format, Frames: []crash.Frame{bounded(r.head, f)}})
	} else {
		s.Fail(r.problem(m))
		s.AddPlace(r.head, r.format, f)
	}
	r.head, r.lone = reportLine{}, false
}

// problem returns the failure of the groups of its line.
func (r *oneLineReader) problem(m map[string]string) crash.Problem {
	message := strings.TrimSpace(m["message"])
	for strings.HasSuffix(message, "]") && strings.Count(message, "[") < strings.Count(message, "]") {
		message = strings.TrimSuffix(message, "]")
	}
	if inner, whole := strings.CutPrefix(message, "("); whole || strings.Count(message, "(") < strings.Count(message, ")") {
		message = strings.TrimSuffix(inner, ")") // as in Failure("hd") and (Not_found_s "key") of OCaml
	}
	return crash.Problem{Kind: cmp.Or(m["kind"], "error"), Message: message, Line: r.head.N}
}

// frameOf adds the frame of a line to the stack that is open, or to the one that it begins.
func (r *oneLineReader) frameOf(s *scanner, l reportLine, m map[string]string) bool {
	again := r.opened > s.Last || r.opens == nil && r.head.N > s.Last // another failure is above the line
	switch {
	case r.near(s, l) && !again:
	case r.opens == nil || r.opened > 0 && l.N <= r.opened+lineBlank:
		r.begin(s, l)
	default:
		return false
	}
	f := crash.Frame{Function: m["name"], Symbol: m["name"], File: m["file"], Line: atoi(m["line"]), Column: atoi(m["column"]), Module: m["module"]}
	if r.called {
		if n := len(s.Open.Frames); n > 0 && s.Open.Frames[n-1].Function == "" {
			s.Open.Frames[n-1].Function = f.Function
		}
		f.Function, f.Symbol = "", ""
	}
	r.add(s, l, f)
	return true
}

// begin opens a stack for the failure above it.
func (r *oneLineReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: r.format}
	form, reach := r.failed, lineHead
	switch {
	case r.lone:
		form = r.alone
	case r.above.N > 0 && l.N-r.above.N <= lineAbove && (r.head.N == 0 || l.N-r.head.N > lineHead):
		form, reach, r.head = r.far, lineAbove, r.above
	}
	var m map[string]string
	if r.head.Text != "" && l.N-r.head.N <= reach {
		m = groups(form, r.head.Text)
		p := r.problem(m)
		s.Fail(p)
		st.Title = titleOf(p.Kind, p.Message)
	}
	s.Begin(st)
	r.raised = crash.Frame{File: m["file"], Line: atoi(m["line"])}
	if r.called && r.at.N == l.N-1 && r.at.N > 0 {
		at := groups(r.failed, r.at.Text)
		r.add(s, r.at, crash.Frame{File: at["file"], Line: atoi(at["line"])})
	} else if r.called && r.raised.File != "" {
		r.add(s, r.head, r.raised)
	}
	r.head, r.above, r.at, r.lone, r.opened = reportLine{}, reportLine{}, reportLine{}, false, 0
}

// add adds a frame. Those before the place that the failure names only report it.
func (r *oneLineReader) add(s *scanner, l reportLine, f crash.Frame) {
	if r.source != nil {
		r.source(&f)
	}
	if f.Symbol == f.Function {
		f.Symbol = ""
	}
	s.Add(l, f)
	n := len(s.Open.Frames) - 1
	if n > 0 && r.raised.Line > 0 && f.Line == r.raised.Line && f.File == r.raised.File {
		for i := range s.Open.Frames[:n] {
			s.Open.Frames[i].Handler = true
		}
		r.raised = crash.Frame{}
	}
}

// placed gives the last frame its place, which is on the line below it.
func (r *oneLineReader) placed(s *scanner, l reportLine, m map[string]string) {
	f := &s.Open.Frames[len(s.Open.Frames)-1]
	if f.Line > 0 || f.File != "" {
		return
	}
	function := f.Function
	f.File, f.Line, f.Module = m["file"], atoi(m["line"]), m["module"]
	r.source(f)
	f.Function = function
	s.Last = l.N
}

// groups returns the named groups of a match, nil for none. A name with a digit behind it stands for the name.
func groups(p source.Pattern, text string) map[string]string {
	m := p().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	out := map[string]string{}
	for i, name := range p().SubexpNames() {
		if name = strings.TrimRight(name, "0123456789"); name != "" && m[i] != "" {
			out[name] = m[i]
		}
	}
	return out
}
