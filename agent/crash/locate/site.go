package locate

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

// A Site is the position of a frame in a file of the commit. It may differ from the line in the
// report, which may belong to another version of the file.
type Site struct {
	At       int           // the line of the frame; 0 if only its function is known
	Function source.Extent // zero if the line is outside of functions
	Note     string        // a remark on the line for a reader; "" for the line of the report
	Moved    bool          // the report is of another version of the file
	Near     int           // the report's line if it has no code, so that the frame is not at it; else 0
	inlined  bool          // Function is not the one that the frame names
	sure     bool          // the report's quoted line, or the call of the next inner frame, is at At
}

// Limits on the search for the lines of frames.
const (
	besideCall = 3   // lines between the line of a frame and the name of its callee
	aroundCall = 150 // lines that are searched for a call if no function is known
	maxDefined = 100 // definitions of a function's name in a file; a name with more is ignored
	maxSites   = 100 // different calls in a file whose lines are searched
	plainLines = 62  // lines of a function whose end is unknown
)

// Sites finds the positions of all frames in one file, of which lines are the lines. A frame is at
// the line that the report quotes, or else at the line that calls the next inner frame. If the
// report's line has no such call, the frame is at the nearest line of the function that has one.
// If the report's line is in another function, the frame is in the function that it names. Frames
// without a quoted line and without a call have moved as far as the others, if two of these agree.
func Sites(report *crash.Report, path string, lines [][]byte) map[crash.FrameRef]Site {
	out := map[crash.FrameRef]Site{}
	known := map[string]Site{}
	file := fileText{path: path, lines: lines, definitions: map[string][]int{}}
	for i, s := range report.Stacks {
		for j, f := range s.Frames {
			if f.Path != path {
				continue
			}
			ref := crash.FrameRef{Stack: i, Frame: j}
			call := fmt.Sprintf("%d %d %q %q %q", f.LineAt(), f.DefinedAt, f.Function, f.Quote, Callee(report, ref))
			site, done := known[call]
			if !done && len(known) == maxSites {
				continue
			}
			if !done {
				site = file.siteOf(report, ref)
				known[call] = site
			}
			out[ref] = site
		}
	}
	shiftOthers(report, path, lines, out)
	return out
}

// A fileText is the text of a file, with the lines that look like definitions of the names that
// were looked up.
type fileText struct {
	path        string
	lines       [][]byte
	definitions map[string][]int
}

// defined returns the lines that look like definitions of a function, as symbol.DefinedIn does.
func (t *fileText) defined(function string) []int {
	at, known := t.definitions[function]
	if !known {
		at = symbol.DefinedIn(t.path, t.lines, function)
		t.definitions[function] = at
	}
	return at
}

// siteOf finds the position of one frame by what the report says about it alone. The position is
// zero if there is none.
func (t *fileText) siteOf(report *crash.Report, ref crash.FrameRef) Site {
	lines := t.lines
	f := report.At(ref)
	f.Line = f.LineAt()
	callee := t.property(Callee(report, ref))
	if f.Quote != "" && f.Line > 0 {
		if s, ok := t.siteOfQuote(f); ok {
			return s
		}
	}
	switch {
	case isAccessor(f.Function):
		return Site{At: min(f.Line, len(lines))}
	case f.Line < 1:
		return t.siteOfFunction(f, callee, "")
	case f.Line > len(lines):
		return t.siteOfFunction(f, callee, fmt.Sprintf("the report says line %d, which the file does not have: it is of another version", f.Line))
	case f.Quote != "":
		note := fmt.Sprintf("the text that the report quotes as line %d is not in the file: it is of another version", f.Line)
		if s := t.siteOfFunction(f, callee, note); s.Function.End > 0 {
			return s
		}
		return Site{Note: note, Moved: true}
	}
	if t.isBridge(report, ref, f) {
		return Site{At: f.Line}
	}
	if t.elsewhere(f) {
		if name := t.inlined(f, callee); name != "" && name != callee {
			s := Site{At: f.Line, inlined: true, Note: fmt.Sprintf("the line is in %s, which may have been inlined", agent.CleanLine(name))}
			s.Function, _ = source.FunctionAround(f.Path, lines, f.Line)
			return s
		}
		return t.siteOfFunction(f, callee, fmt.Sprintf("the report says line %d, which is in another function: it is of another version", f.Line))
	}
	if t.inHeading(f) {
		return t.siteOfFunction(f, callee, fmt.Sprintf("the report says line %d, which is in the heading of a function: it is of another version", f.Line))
	}
	if s, ok := t.siteOfRaise(report, ref); ok {
		return s
	}
	if s, ok := t.siteOfMessage(report, ref); ok {
		return s
	}
	return siteOfCall(f, lines, callee)
}

// siteOfQuote returns the line with the text that the report quotes: the report's line, else the
// nearest such line of the frame's function, else of the file.
func (t *fileText) siteOfQuote(f crash.Frame) (Site, bool) {
	lines := t.lines
	s := Site{sure: true}
	if f.Line <= len(lines) && quotes(f.Quote, lines[f.Line-1]) && !t.elsewhere(f) {
		s.At = f.Line
		s.Function, _ = source.FunctionAround(f.Path, lines, f.Line)
		return s, true
	}
	var inside []source.Extent
	defined := t.defined(f.Function)
	for _, at := range defined[:min(len(defined), maxDefined)] { // each is looked for in the whole file
		if e, ok := source.FunctionAround(f.Path, lines, at); ok {
			inside = append(inside, e)
		}
	}
	within := false
	for n, line := range lines {
		if !quotes(f.Quote, line) {
			continue
		}
		n++
		own := slices.ContainsFunc(inside, func(e source.Extent) bool { return e.Start <= n && n <= e.End })
		if within && !own {
			continue
		}
		if s.At == 0 || own && !within || max(n-f.Line, f.Line-n) < max(s.At-f.Line, f.Line-s.At) {
			s.At, within = n, own
		}
	}
	if s.At == 0 {
		return s, false
	}
	s.Moved = true
	s.Note = fmt.Sprintf("the line that the report quotes; the report says line %d", f.Line)
	s.Function, _ = source.FunctionAround(f.Path, lines, s.At)
	return s, true
}

// minQuote is the shortest beginning of a line, in bytes, that a report may quote instead of the
// whole line.
const minQuote = 20

// quotes reports whether a report's quoted text is a line of a file, without regard to white space
// around it. Programs that write reports cut long lines.
func quotes(quote string, line []byte) bool {
	text := string(bytes.TrimSpace(line))
	return text == quote || len(quote) >= minQuote && strings.HasPrefix(text, quote)
}

// siteOfCall returns the report's line, or else a line of its function that calls the next inner
// frame.
func siteOfCall(f crash.Frame, lines [][]byte, callee string) Site {
	s := Site{At: f.Line}
	empty := isEmpty(f.Path, lines[f.Line-1])
	s.Function, _ = source.FunctionAround(f.Path, lines, f.Line)
	beside := calls(lines, max(1, f.Line-besideCall), min(len(lines), f.Line+besideCall), f.Line, callee)
	idle := isIdle(lines[f.Line-1])
	if !idle && (callee == "" || beside > 0 || callsValue(lines[f.Line-1])) {
		s.sure = beside == f.Line
		return s
	}
	first, last := s.Function.Body+1, s.Function.End
	if s.Function.End == 0 {
		first, last = max(1, f.Line-aroundCall), min(len(lines), f.Line+aroundCall)
	}
	at := calls(lines, first, last, f.Line, callee)
	if idle && at > 0 && at < f.Line && endsCall(lines, at, f.Line, callee) {
		s.sure = true
		return s
	}
	if at > 0 {
		s.At, s.Moved, s.sure = at, true, true
		s.Note = fmt.Sprintf("the call of the frame before it; the report says line %d", f.Line)
		return s
	}
	switch {
	case empty:
		s.At, s.Near, s.Moved = 0, f.Line, true
		s.Note = fmt.Sprintf("the report says line %d, which has no code: it is of another version", f.Line)
	case idle && callee != "":
		s.Note, s.Moved = "the report is of another version: the line may be off", true
	}
	return s
}

// inOrder returns the frames of sites in the order of the report.
func inOrder(sites map[crash.FrameRef]Site) []crash.FrameRef {
	return slices.SortedFunc(maps.Keys(sites), func(a, b crash.FrameRef) int {
		return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Frame, b.Frame))
	})
}

// shiftOthers moves the frames that nothing places in the file, or only in their function: as far as the nearest frame that
// something places, if two frames have moved as far.
func shiftOthers(report *crash.Report, path string, lines [][]byte, sites map[crash.FrameRef]Site) {
	type anchor struct{ line, shift int }
	var anchors []anchor
	agreed := map[int]map[int]bool{} // shift -> lines of the report that moved as far
	refs := inOrder(sites)
	for _, ref := range refs {
		s := sites[ref]
		if line := report.At(ref).LineAt(); s.sure && line > 0 && s.At > 0 {
			shift := s.At - line
			anchors = append(anchors, anchor{line, shift})
			if agreed[shift] == nil {
				agreed[shift] = map[int]bool{}
			}
			agreed[shift][line] = true
		}
	}
	if len(anchors) < 2 {
		return
	}
	slices.SortStableFunc(anchors, func(a, b anchor) int { return a.line - b.line })
	for _, ref := range refs {
		s := sites[ref]
		line := report.At(ref).LineAt()
		inFunction := s.Moved && s.Near == 0 && s.At == 0 && s.Function.End > 0 && report.At(ref).Quote == ""
		if s.sure || s.Moved && s.Near == 0 && !inFunction || line == 0 {
			continue
		}
		next := anchors[0]
		for _, a := range anchors {
			if max(a.line-line, line-a.line) < max(next.line-line, line-next.line) {
				next = a
			}
		}
		at := line + next.shift
		if next.shift == 0 || len(agreed[next.shift]) < 2 || at < 1 || at > len(lines) {
			continue
		}
		if inFunction && (at <= s.Function.Body || at > s.Function.End || isIdle(lines[at-1])) {
			continue
		}
		function, _ := source.FunctionAround(path, lines, at)
		sites[ref] = Site{
			At: at, Function: function, Moved: true,
			Note: fmt.Sprintf("the lines around it have moved by %d; the report says line %d", next.shift, line),
		}
	}
}
