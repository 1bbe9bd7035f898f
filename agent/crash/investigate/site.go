package investigate

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

// A site is the position of a frame in the file of the commit. It may differ from the line in the
// report, which may belong to another version of the file.
type site struct {
	at       int           // the line of the frame; 0 if only its function is known
	function source.Extent // zero if the line is outside of functions
	note     string        // a remark on the line for a reader; "" for the line of the report
	moved    bool          // the report is of another version of the file
}

// Limits on the search for the line of a frame.
const (
	besideCall = 3   // lines between the line of a frame and the name of its callee
	aroundCall = 150 // lines that are searched for a call if no function is known
	maxDefined = 100 // definitions of a function's name in a file; a name with more is ignored
)

// siteOf finds the position of a frame. A frame is at the line that calls the next inner frame.
// If the report's line has no such call, siteOf uses the nearest line of the function that has
// one. If the report's line is in another function, siteOf uses the function that the frame
// names.
func (d *investigation) siteOf(ref crash.FrameRef, lines [][]byte) (site, bool) {
	f := d.q.Report.At(ref)
	callee := d.callee(ref)
	switch {
	case f.Line < 1:
		return siteOfFunction(f, lines, callee, "")
	case f.Line > len(lines):
		return siteOfFunction(
			f,
			lines,
			callee,
			fmt.Sprintf("the report says line %d, which the file does not have: it is of another version", f.Line),
		)
	}
	if elsewhere(f, lines) {
		if name := inlined(f, lines); name != "" && name != callee {
			s := site{at: f.Line, note: fmt.Sprintf("the line is in %s, which may have been inlined", agent.CleanLine(name))}
			s.function, _ = source.FunctionAround(f.Path, lines, f.Line)
			return s, true
		}
		return siteOfFunction(
			f,
			lines,
			callee,
			fmt.Sprintf("the report says line %d, which is in another function: it is of another version", f.Line),
		)
	}
	s := site{at: f.Line}
	s.function, _ = source.FunctionAround(f.Path, lines, f.Line)
	beside := calls(lines, max(1, f.Line-besideCall), min(len(lines), f.Line+besideCall), f.Line, callee)
	if callee == "" || beside > 0 && !isIdle(lines[f.Line-1]) {
		return s, true
	}
	first, last := s.function.Body+1, s.function.End
	if s.function.End == 0 {
		first, last = max(1, f.Line-aroundCall), min(len(lines), f.Line+aroundCall)
	}
	if at := calls(lines, first, last, f.Line, callee); at > 0 {
		return site{
			at:       at,
			function: s.function,
			moved:    true,
			note:     fmt.Sprintf("the call of the frame before it; the report says line %d", f.Line),
		}, true
	}
	if isIdle(lines[f.Line-1]) {
		s.note, s.moved = "the report is of another version: the line may be off", true
	}
	return s, true
}

// isIdle reports whether nothing happens on a line: it is empty, a brace or a comment.
func isIdle(line []byte) bool {
	text := bytes.Trim(line, " \t\r{}();")
	return len(text) == 0 || bytes.HasPrefix(text, []byte("//")) || bytes.HasPrefix(text, []byte("/*")) ||
		text[0] == '*' && (len(text) == 1 || text[1] == ' ' || text[1] == '/')
}

// inlined returns the function around the line of a frame, if the function that the frame names
// calls it: the compiler may have inlined one into the other.
func inlined(f crash.Frame, lines [][]byte) string {
	around, ok := source.FunctionAround(f.Path, lines, f.Line)
	if !ok || isIdle(lines[f.Line-1]) {
		return ""
	}
	name := source.FunctionName(string(bytes.Join(lines[around.Start-1:min(around.Body, len(lines))], []byte(" "))))
	if name == "" {
		return ""
	}
	for _, at := range symbol.DefinedIn(f.Path, lines, f.Function) {
		if e, ok := source.FunctionAround(f.Path, lines, at); ok && calls(lines, e.Body+1, e.End, at, name) > 0 {
			return name
		}
	}
	return ""
}

// siteOfFunction returns the line at which a frame's function calls the next inner frame, else
// the function.
func siteOfFunction(f crash.Frame, lines [][]byte, callee, note string) (site, bool) {
	at := f.DefinedAt
	if defined := symbol.DefinedIn(f.Path, lines, f.Function); len(defined) > 0 {
		at = nearest(defined, f.Line)
	}
	if at < 1 || at > len(lines) {
		return site{}, false
	}
	s := site{note: note, moved: note != ""}
	var ok bool
	if s.function, ok = source.FunctionAround(f.Path, lines, at); !ok || s.function.End < at {
		s.function = source.Extent{Start: at, Body: at, End: min(len(lines), at+wholeLines)}
	}
	if callee != "" {
		s.at = calls(lines, s.function.Body+1, s.function.End, f.Line, callee)
	}
	return s, true
}

// nearest returns the number in a list that is nearest to n, or the first one if n is 0.
func nearest(list []int, n int) int {
	best := list[0]
	for _, at := range list {
		if n > 0 && max(at-n, n-at) < max(best-n, n-best) {
			best = at
		}
	}
	return best
}

// elsewhere reports whether the line of a frame is certainly outside of the function that the
// frame names.
func elsewhere(f crash.Frame, lines [][]byte) bool {
	name := symbol.Last(f.Function)
	if name == "" {
		return false
	}
	around, ok := source.FunctionAround(f.Path, lines, f.Line)
	if ok && mentions(lines[around.Start-1:min(around.Body, len(lines))], name) {
		return false
	}
	defined := symbol.DefinedIn(f.Path, lines, f.Function)
	if len(defined) > maxDefined {
		return false
	}
	for _, at := range defined {
		e, ok := source.FunctionAround(f.Path, lines, at)
		if !ok && at <= f.Line && f.Line < at+aroundCall || ok && e.Start <= f.Line && f.Line <= e.End {
			return false
		}
	}
	return len(defined) > 0
}

func mentions(lines [][]byte, name string) bool {
	for _, l := range lines {
		if found, _ := wordIn(l, name); found {
			return true
		}
	}
	return false
}

// callee returns the name under which a frame calls the next inner frame of its stack, or "" if
// the source has no such name.
func (d *investigation) callee(ref crash.FrameRef) string {
	if ref.Frame == 0 || d.q.Report.At(ref).Assertion {
		return ""
	}
	inner := d.q.Report.Stacks[ref.Stack].Frames[ref.Frame-1]
	if inner.Assertion {
		return ""
	}
	whole := strings.TrimSuffix(inner.Function, ".<init>") // the source of "p.Type.<init>" is "new Type("
	name := symbol.Last(whole)
	for i := range len(name) {
		if !source.IsIdentByte(name[i]) {
			return ""
		}
	}
	return name
}

// calls returns the line from first to last that is nearest to near and contains name as a whole
// word, preferably as a call; 0 if there is none.
func calls(lines [][]byte, first, last, near int, name string) int {
	best, isCall := 0, false
	if name == "" {
		return 0
	}
	for n := max(first, 1); n <= min(last, len(lines)); n++ {
		found, call := wordIn(lines[n-1], name)
		if !found || isCall && !call {
			continue
		}
		closer := max(n-near, near-n) < max(best-near, near-best)
		if best == 0 || call && !isCall || near > 0 && closer {
			best, isCall = n, call
		}
	}
	return best
}

// wordIn reports whether a line contains a name as a whole word, and whether a parenthesis
// follows.
func wordIn(line []byte, name string) (found, call bool) {
	for from := 0; ; {
		i := bytes.Index(line[from:], []byte(name))
		if i < 0 {
			return found, false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !source.IsIdentByte(line[i-1])) && (end == len(line) || !source.IsIdentByte(line[end])) {
			found = true
			if rest := bytes.TrimLeft(line[end:], " \t"); len(rest) > 0 && rest[0] == '(' {
				return true, true
			}
		}
		from = end
	}
}

// excerptOf returns the lines to show for a frame. For an important frame these are its whole
// function, unless that is too long. Otherwise they are the lines around the frame's line, within
// its function.
func (d *investigation) excerptOf(ref crash.FrameRef, lines [][]byte, near bool) (excerpt, bool) {
	s, ok := d.siteOf(ref, lines)
	if !ok {
		return excerpt{}, false
	}
	f := d.q.Report.At(ref)
	d.moved[f.Path] = d.moved[f.Path] || s.moved
	e := excerpt{frame: ref, path: f.Path, note: s.note}
	if s.at > 0 {
		e.marks = []int{s.at}
	}
	around := farLines
	if near {
		around = nearLines
	}
	at := cmp.Or(s.at, s.function.Start)
	inside := s.function.End > 0
	switch {
	case inside && near && s.function.End-s.function.Start < wholeLines:
		e.first, e.last = s.function.Start, s.function.End
	case s.at == 0:
		e.first, e.last = at, at+2*around
	default:
		e.first, e.last = at-around, at+around
	}
	if inside {
		e.first, e.last = max(e.first, s.function.Start), min(e.last, s.function.End)
	}
	e.first, e.last = max(1, e.first), min(len(lines), e.last)
	return e, e.last >= e.first
}
