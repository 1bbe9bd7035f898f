package investigate

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
	"git-agent/agent/crash/rank"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Bounds of the code in the first prompt, in lines.
const (
	nearLines   = 12   // on either side of the line of an important frame
	farLines    = 6    // on either side of the line of another frame
	wholeLines  = 62   // of the function of an important frame that is shown whole
	important   = 3    // frames with nearLines
	maxExcerpts = 12   // excerpts
	maxSites    = 100  // calls whose lines are looked for
	ahead       = 4    // files whose first frame comes before the second frame of any
	improbable  = 0.03 // probability of a file whose code is shown only if there is little else
	probable    = 0.1  // probability of a file whose code is shown however deep its frame is
	deep        = 8    // frames above it in its stack
	minExcerpts = 4
)

// An excerpt is a range of lines of a file around a frame.
type excerpt struct {
	frame       crash.FrameRef
	path        string
	first, last int
	marks       []int // the lines of frames
	order       int   // place of the frame in the stacks
	note        string
}

// codeText renders the code around the frames: those in the files that the offline
// ranking has first come first until the room is full; what is shown is in the order
// of the stacks.
func (d *investigation) codeText(ctx context.Context) (string, error) {
	var list []excerpt
	room := maxCode
	seen := map[string]bool{}
	for _, ref := range d.framesByWeight() {
		if len(list) == maxExcerpts || room < 300 || len(seen) == maxSites {
			break
		}
		if call := d.callOf(ref); seen[call] {
			continue // a recursion, or another thread
		} else {
			seen[call] = true
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

// callOf names the call that a frame stands for: frames of one name show the same code.
func (d *investigation) callOf(ref crash.FrameRef) string {
	f := d.q.Report.At(ref)
	return fmt.Sprintf("%q %d %q %q", f.Path, cmp.Or(f.Line, -f.DefinedAt), f.Function, d.callee(ref))
}

// framesByWeight returns the frames whose code may be shown: one of each of the first
// files, then the innermost others. Frames of improbable files, and functions that only
// report, allocate or start the program, come last.
func (d *investigation) framesByWeight() []crash.FrameRef {
	if d.sees.NoRanking {
		return d.framesInOrder()
	}
	var first, rest, last []crash.FrameRef
	for n, f := range d.offline.Files {
		refs := slices.Clone(f.Frames)
		slices.SortStableFunc(refs, func(a, b crash.FrameRef) int { return cmp.Compare(d.order(a), d.order(b)) })
		chosen := n >= ahead
		for _, ref := range refs {
			function := d.q.Report.At(ref).Function
			switch {
			case n >= ahead && f.Probability < improbable || rank.Helper(function) || bridges(function):
				last = append(last, ref)
			case !chosen:
				first, chosen = append(first, ref), true
			case ref.Frame < deep || f.Probability >= probable:
				rest = append(rest, ref)
			}
		}
	}
	for _, list := range [][]crash.FrameRef{rest, last} {
		slices.SortStableFunc(list, func(a, b crash.FrameRef) int { return cmp.Compare(d.order(a), d.order(b)) })
	}
	return slices.Concat(first, rest, last[:min(len(last), max(0, minExcerpts-len(first)-len(rest)))])
}

// framesInOrder returns all frames in the repository in the order of the stacks, the
// main one first.
func (d *investigation) framesInOrder() []crash.FrameRef {
	var all []crash.FrameRef
	for _, f := range d.shown.Files {
		all = append(all, f.Frames...)
	}
	slices.SortStableFunc(all, func(a, b crash.FrameRef) int { return cmp.Compare(d.order(a), d.order(b)) })
	return all
}

// bridges reports whether a function only leads to the program's own code: it starts a
// program, a thread or a test, or a compiler made it.
func bridges(function string) bool {
	return starts[symbol.Last(function)] || strings.Contains(function, ".access$")
}

// starts are functions that start programs, threads and tests.
var starts = map[string]bool{"main": true, "LLVMFuzzerTestOneInput": true, "cmd_main": true, "run": true, "Main": true}

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
	lines := d.texts[e.path]
	heading := fmt.Sprintf("## %s, %s", d.frameName(e.frame), agent.CleanLine(e.path))
	switch {
	case e.note != "":
		heading += " (" + e.note + ")"
	case d.moved[e.path] && len(e.marks) > 0:
		heading += " (the report is of another version of this file: the line may be off)"
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
			b.WriteString(d.tools.Numbered(lines, from, last, m))
			from = last + 1
		}
	}
	return b.String()
}

// frameName names a frame as the stacks of the first prompt number it.
func (d *investigation) frameName(ref crash.FrameRef) string {
	if ref.Stack == d.offline.Main {
		return fmt.Sprintf("#%d", ref.Frame)
	}
	return fmt.Sprintf("#%d of %q", ref.Frame, d.q.Report.Stacks[ref.Stack].Kind)
}
