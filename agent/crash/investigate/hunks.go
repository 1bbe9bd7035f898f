package investigate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/secret"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// A nearness says what the lines of a hunk have to do with a crash.
type nearness int

const (
	ofFrame     nearness = iota // a frame is at one of the added lines
	ofSuspicion                 // one of the added lines made the commit a suspect
	ofFile                      // only the file
)

// A nearHunk is a hunk of a suspect commit with what it has to do with a crash.
type nearHunk struct {
	path     string
	hunk     *gitext.Hunk
	of       nearness
	at       int  // index of the added line that has most to do with the crash, or -1
	wrote    int  // number of suspicious lines with a word that it adds
	function bool // it is in the function of a frame, or contains its name
	lines    int  // between it and the nearest frame; the file may have changed since
}

// nearestFirst returns the hunks of a patch, the one first that has most to do with the crash. A
// suspicious line such as a closing bracket stands in many hunks: the one that adds more of these
// lines, or is in the function of a frame, comes first.
func (d *investigation) nearestFirst(c change, patch *gitext.Patch) []nearHunk {
	var out []nearHunk
	for i := range patch.Files {
		f := &patch.Files[i]
		if secret.MustRedact(f.OldPath) || wholeText(f) != "" {
			continue
		}
		functions, lines := d.framesIn(f.NewPath)
		for j := range f.Hunks {
			if f.Hunks[j].NewLines > maxAdded {
				continue
			}
			h := nearHunk{path: f.NewPath, hunk: &f.Hunks[j], lines: math.MaxInt}
			h.at, h.of, h.wrote = d.nearest(c, f.NewPath, h.hunk)
			h.function = slices.ContainsFunc(functions, h.mentions)
			for _, n := range lines {
				h.lines = min(h.lines, max(h.hunk.NewStart-n, n-h.hunk.NewStart-h.hunk.NewLines+1, 0))
			}
			out = append(out, h)
		}
	}
	slices.SortStableFunc(out, func(a, b nearHunk) int {
		in := func(h nearHunk) int {
			if h.function {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(b.wrote, a.wrote), cmp.Compare(in(a), in(b)), cmp.Compare(a.lines, b.lines))
	})
	return out
}

// framesIn returns the last names of the functions of the frames in a file, and the frames' lines.
func (d *investigation) framesIn(path string) (functions []string, lines []int) {
	for _, s := range d.tools.Report.Stacks {
		for _, f := range s.Frames {
			if f.Path != path {
				continue
			}
			if name := symbol.Last(f.Function); len(name) > 2 && !slices.Contains(functions, name) {
				functions = append(functions, name)
			}
			if n := f.LineAt(); n > 0 {
				lines = append(lines, n)
			}
		}
	}
	return functions, lines
}

// mentions reports whether a hunk or its heading has a name as a whole word.
func (h nearHunk) mentions(name string) bool {
	has := func(text string) bool { return slices.Contains(strings.FieldsFunc(text, source.NotIdent), name) }
	return has(h.hunk.Section) || slices.ContainsFunc(h.hunk.Lines, func(l gitext.PatchLine) bool { return has(string(l.Text)) })
}

// nearest returns the index of the added line of a hunk that has most to do with the crash, or -1,
// and how many of the suspicious lines with a word the hunk adds. Such lines tell more than others.
func (d *investigation) nearest(c change, path string, h *gitext.Hunk) (at int, of nearness, wrote int) {
	at, of = -1, ofFile
	best := math.MaxInt
	for n, e := range c.suspect.Evidence {
		if e.Path != path || e.Line == 0 || e.Text == "" {
			continue
		}
		i := slices.IndexFunc(h.Lines, func(l gitext.PatchLine) bool {
			return l.Op == '+' && agent.CleanLine(strings.TrimSpace(string(l.Text))) == e.Text
		})
		if i < 0 {
			continue
		}
		if strings.ContainsFunc(e.Text, unicode.IsLetter) {
			wrote++
		} else {
			n += len(c.suspect.Evidence)
		}
		switch {
		case d.isFrame(e) && of != ofFrame:
			at, of, best = i, ofFrame, -1
		case n < best:
			at, of, best = i, ofSuspicion, n
		}
	}
	return at, of, wrote
}

// isFrame reports whether a frame of the report is at a suspicious line.
func (d *investigation) isFrame(e suspect.Evidence) bool {
	return slices.ContainsFunc(d.tools.Report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path == e.Path && f.LineAt() == e.Line })
	})
}

// Limits on a hunk, in lines.
const (
	maxHunkLines = 26
	before       = 6 // lines before the suspicious line
)

// hunkText renders a part of a hunk: the lines around the one at an index, or its beginning if the
// index is -1.
func (d *investigation) hunkText(path string, h *gitext.Hunk, at int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "    @@ %s %s\n", agent.CleanLine(path), d.tools.Shorten(string(h.Section), 80))
	first := max(0, at-before)
	if first < 4 || len(h.Lines) <= maxHunkLines {
		first = 0
	}
	if first > 0 {
		fmt.Fprintf(&b, "    (%s)\n", agent.Plural(first, "line"))
	}
	for i, l := range h.Lines[first:] {
		if i == maxHunkLines || b.Len() > maxPatch {
			fmt.Fprintf(&b, "    (%s)\n", agent.Plural(len(h.Lines)-first-i, "more line"))
			break
		}
		text := strings.ReplaceAll(strings.TrimRight(string(l.Text), "\r"), "\t", "  ")
		fmt.Fprintf(&b, "    %c%s\n", l.Op, d.tools.Shorten(text, 160))
	}
	return b.String()
}
