package localize

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Bounds of the code in the first prompt, in lines.
const (
	nearLines   = 12   // on either side of the line of an important frame
	farLines    = 6    // on either side of the line of another frame
	wholeLines  = 45   // of a function without a line, or of a short function that is shown whole
	important   = 3    // frames with nearLines
	maxExcerpts = 12   // excerpts
	ahead       = 4    // files whose first frame comes before the second frame of any
	improbable  = 0.03 // probability of a file whose code is shown only if there is little else
	probable    = 0.1  // probability of a file whose code is shown however deep its frame is
	deep        = 10   // frames above it in its stack
	minExcerpts = 6
)

// An excerpt is a range of lines of a file around a frame.
type excerpt struct {
	frame       crash.FrameRef
	path        string
	first, last int
	marks       []int // the lines of frames
	order       int   // place of the frame in the stacks
	drifted     bool  // the line of the frame is not in its function, which is shown instead
}

// codeText renders the code around the frames: those in the files that the offline
// ranking has first come first until the room is full; what is shown is in the order
// of the stacks.
func (d *investigation) codeText(ctx context.Context) (string, error) {
	var list []excerpt
	room := maxCode
	for _, ref := range d.framesByWeight() {
		if len(list) == maxExcerpts || room < 300 {
			break
		}
		lines, err := d.linesOf(ctx, d.q.Report.At(ref).Path)
		if err != nil {
			return "", err
		}
		e, ok := d.excerptOf(ref, lines, len(list) < important)
		if !ok || widen(list, e) {
			continue
		}
		size := len(d.render(e))
		if size > room && len(list) > 0 {
			continue
		}
		room -= size
		e.order = d.order(ref)
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b excerpt) int { return cmp.Compare(a.order, b.order) })
	var b strings.Builder
	for _, e := range list {
		b.WriteString(d.render(e))
	}
	return b.String(), nil
}

// framesByWeight returns the frames whose code may be shown: one of each of the first
// files, then the innermost others. Frames of improbable files come last.
func (d *investigation) framesByWeight() []crash.FrameRef {
	var first, rest, last []crash.FrameRef
	for n, f := range d.offline.Files {
		refs := slices.Clone(f.Frames)
		slices.SortStableFunc(refs, func(a, b crash.FrameRef) int { return cmp.Compare(d.order(a), d.order(b)) })
		switch {
		case n >= ahead && f.Probability < improbable:
			last = append(last, refs...)
			continue
		case n < ahead && len(refs) > 0:
			first, refs = append(first, refs[0]), refs[1:]
		}
		for _, ref := range refs {
			if ref.Frame < deep || f.Probability >= probable {
				rest = append(rest, ref)
			}
		}
	}
	for _, list := range [][]crash.FrameRef{rest, last} {
		slices.SortStableFunc(list, func(a, b crash.FrameRef) int { return cmp.Compare(d.order(a), d.order(b)) })
	}
	return slices.Concat(first, rest, last[:min(len(last), max(0, minExcerpts-len(first)-len(rest)))])
}

// order returns the place of a frame in the stacks, the main one first.
func (d *investigation) order(ref crash.FrameRef) int {
	const wide = 100_000
	if ref.Stack == d.offline.Main {
		return ref.Frame
	}
	return (ref.Stack+1)*wide + ref.Frame
}

// linesOf returns the lines of a file; none if it cannot be shown.
func (d *investigation) linesOf(ctx context.Context, path string) ([][]byte, error) {
	if lines, ok := d.texts[path]; ok {
		return lines, nil
	}
	f, err := d.tools.Scope.ReadFile(ctx, d.repo, "", "", path)
	var refused *agent.CallError
	if err != nil && !errors.As(err, &refused) && !gitext.Unreadable(err) {
		return nil, err
	}
	var lines [][]byte
	if len(f.Text) > 0 {
		lines = bytes.Split(bytes.TrimSuffix(f.Text, []byte("\n")), []byte("\n"))
	}
	d.texts[path] = lines
	return lines, nil
}

// excerptOf returns the lines to show for a frame: those around its line, but not
// beyond its function, and of a frame without a line the beginning of its function.
// Where the line is in another function, because the report is of another version, it
// is the beginning of the function that the frame names.
func (d *investigation) excerptOf(ref crash.FrameRef, lines [][]byte, near bool) (excerpt, bool) {
	f := d.q.Report.At(ref)
	e := excerpt{frame: ref, path: f.Path}
	at := cmp.Or(f.Line, f.DefinedAt)
	if other := functionElsewhere(f, lines); other > 0 {
		at, e.drifted, d.drifted[f.Path] = other, true, true
	}
	if at < 1 || at > len(lines) {
		return e, false
	}
	if f.Line > 0 && !e.drifted {
		e.marks = []int{at}
	}
	function, inside := source.FunctionAround(f.Path, lines, at)
	switch {
	case e.marks == nil && !inside:
		e.first, e.last = at, min(at+farLines, len(lines))
	case e.marks == nil || inside && near && function.End-function.Start < wholeLines:
		e.first, e.last = function.Start, min(function.End, function.Start+wholeLines-1, len(lines))
		if !near {
			e.last = min(e.last, e.first+2*farLines)
		}
	default:
		around := farLines
		if near {
			around = nearLines
		}
		e.first, e.last = max(1, at-around), min(len(lines), at+around)
		if inside {
			e.first, e.last = max(e.first, function.Start), min(e.last, function.End)
		}
	}
	return e, e.last >= e.first
}

// functionElsewhere returns the line that defines the function of a frame whose own
// line is in another function, else 0. A line that may be in the function, as far as
// can be told, is taken to be.
func functionElsewhere(f crash.Frame, lines [][]byte) int {
	if f.Line < 1 || f.Line > len(lines) || symbol.Last(f.Function) == "" {
		return 0
	}
	around, ok := source.FunctionAround(f.Path, lines, f.Line)
	if ok && mentions(lines[around.Start-1:min(around.Body, len(lines))], symbol.Last(f.Function)) {
		return 0
	}
	defined := symbol.DefinedIn(f.Path, lines, f.Function)
	for _, at := range defined {
		e, ok := source.FunctionAround(f.Path, lines, at)
		if !ok || e.Start <= f.Line && f.Line <= e.End {
			return 0
		}
	}
	if len(defined) == 0 {
		return 0
	}
	return defined[0]
}

func mentions(lines [][]byte, name string) bool {
	return slices.ContainsFunc(lines, func(l []byte) bool { return bytes.Contains(l, []byte(name)) })
}

// widen marks the line of an excerpt in another one that holds it already. It reports
// false if there is none.
func widen(list []excerpt, e excerpt) bool {
	for i := range list {
		o := &list[i]
		if o.path != e.path {
			continue
		}
		covered := o.first <= e.first && e.last <= o.last
		for _, m := range e.marks {
			covered = covered || o.first <= m-2 && m+2 <= o.last
		}
		if covered {
			for _, m := range e.marks {
				if !slices.Contains(o.marks, m) {
					o.marks = append(o.marks, m)
				}
			}
			return true
		}
	}
	return false
}

// render renders an excerpt: a heading, and the lines with their numbers.
func (d *investigation) render(e excerpt) string {
	var b strings.Builder
	f := d.q.Report.At(e.frame)
	lines := d.texts[e.path]
	heading := fmt.Sprintf("## %s, %s", d.frameName(e.frame), agent.CleanLine(e.path))
	switch {
	case e.drifted:
		heading += fmt.Sprintf(", the function that the frame names (line %d is in another one: the report is of another version)", f.Line)
	case d.drifted[e.path] && len(e.marks) > 0:
		heading += " (the report is of another version of this file: the line may be another one)"
	}
	if function, ok := source.FunctionAround(e.path, lines, cmp.Or(f.Line, f.DefinedAt)); ok && !e.drifted && function.Start < e.first {
		heading += ", in: " + agent.Shorten(agent.CleanLine(strings.TrimSpace(string(headingLine(lines, function)))), 140)
	}
	b.WriteString(heading + "\n")
	from := e.first
	marks := append(slices.Sorted(slices.Values(e.marks)), 0)
	for i, m := range marks {
		last := e.last
		if i < len(marks)-1 {
			last = m
		}
		if last >= from {
			b.WriteString(crashtool.Numbered(lines, from, last, m))
			from = last + 1
		}
	}
	return b.String()
}

// headingLine returns the line of a function's heading that names it, as far as that
// can be told: the first one with a parenthesis.
func headingLine(lines [][]byte, function source.Extent) []byte {
	for n := function.Start; n <= min(function.Body, len(lines)); n++ {
		if bytes.IndexByte(lines[n-1], '(') >= 0 {
			return lines[n-1]
		}
	}
	return lines[function.Start-1]
}

// frameName names a frame as the stacks of the first prompt number it.
func (d *investigation) frameName(ref crash.FrameRef) string {
	if ref.Stack == d.offline.Main {
		return fmt.Sprintf("#%d", ref.Frame)
	}
	return fmt.Sprintf("#%d of %q", ref.Frame, d.q.Report.Stacks[ref.Stack].Kind)
}
