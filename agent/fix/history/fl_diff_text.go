package history

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/gitext"
)

// A written is a part of the text that Render writes.
type written struct {
	text string
	said []string // clauses about omissions
}

// maxShownLine bounds the shown part of a line, in characters. Longer lines are generated.
const maxShownLine = 300

// diffSize returns the bytes of a whole diff in the form of diffText.
func diffSize(d Diff) int {
	n := 0
	for _, h := range d.Hunks {
		n += hunkSize(h)
	}
	return n
}

// maxCreated bounds the shown diff of a new file, in bytes: outside of the relevant place it
// shows no change, only old code.
const maxCreated = 2500

// diffText writes a diff within room bytes. If the diff does not fit, diffText writes the hunks
// with blamed lines, and then the nearest other ones. If the hunks with blamed lines do not
// fit, it writes only the lines around the blamed ones, as separate hunks. At least one hunk,
// or a part of it, is always shown.
func diffText(d Diff, room int) written {
	if d.OldPath == "" {
		room = min(room, maxCreated)
	}
	d.Hunks = withoutCR(d.Hunks)
	var hunks []gitext.Hunk
	var said []string
	switch core := d.core(); {
	case diffSize(d) <= room:
		hunks = d.Hunks
	case sizeOf(d.Hunks, core) <= room:
		hunks, said = d.fill(core, room)
	default:
		hunks, said = d.windows(core, room)
	}
	var b strings.Builder
	for _, h := range hunks {
		writeHunk(&b, h)
	}
	if d.NoSpace {
		said = append(said, "changes of white space not shown")
	}
	if d.Cut {
		said = append(said, "the diff is too large to be read completely")
	}
	return written{strings.TrimSuffix(b.String(), "\n"), said}
}

// core returns the indexes of the hunks with blamed lines, or of the hunk nearest to one, in
// the file's order.
func (d Diff) core() []int {
	var core []int
	for i, h := range d.Hunks {
		if has, _ := holds(h, d.Blamed); has > 0 {
			core = append(core, i)
		}
	}
	if len(core) == 0 {
		return d.Order[:1]
	}
	return core
}

func sizeOf(hunks []gitext.Hunk, chosen []int) int {
	n := 0
	for _, i := range chosen {
		n += hunkSize(hunks[i])
	}
	return n
}

// fill returns the core and as many of the nearest other hunks as fit.
func (d Diff) fill(core []int, room int) (hunks []gitext.Hunk, said []string) {
	room -= sizeOf(d.Hunks, core)
	chosen := slices.Clone(core)
	for _, i := range d.Order {
		if d.Focus {
			break
		}
		if size := hunkSize(d.Hunks[i]); size <= room && !slices.Contains(chosen, i) {
			room -= size
			chosen = append(chosen, i)
		}
	}
	slices.Sort(chosen)
	for _, i := range chosen {
		hunks = append(hunks, d.Hunks[i])
	}
	return hunks, d.others(chosen)
}

// others describes the hunks outside of the chosen ones.
func (d Diff) others(chosen []int) []string {
	missing, lines := 0, 0
	for i, h := range d.Hunks {
		if !slices.Contains(chosen, i) {
			missing, lines = missing+1, lines+changedLines(h)
		}
	}
	if missing == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of this file with %s not shown", agent.Plural(missing, "more hunk"), agent.Plural(lines, "changed line"))}
}

func changedLines(h gitext.Hunk) int {
	n := 0
	for _, l := range h.Lines {
		if l.Op != ' ' {
			n++
		}
	}
	return n
}

// radii are the tried numbers of lines around a blamed line, the largest first.
var radii = []int{200, 100, 60, 40, 30, 20, 14, 10, 7, 5, 3, 2, 1, 0}

// windows returns the lines around the blamed ones in the core's hunks, within their functions,
// as many as fit.
func (d Diff) windows(core []int, room int) (hunks []gitext.Hunk, said []string) {
	for _, radius := range radii {
		hunks = nil
		size := 0
		for _, i := range core {
			for _, w := range d.window(d.Hunks[i], radius) {
				size += hunkSize(w)
				hunks = append(hunks, w)
			}
		}
		if size <= room {
			break
		}
	}
	kept, blamed := d.first(hunks, room)
	all, shown := 0, 0
	for _, i := range core {
		all += changedLines(d.Hunks[i])
	}
	for _, h := range kept {
		shown += changedLines(h)
	}
	said = []string{fmt.Sprintf("%d of %s of %s shown", shown, agent.Plural(all, "changed line"), theseHunks(len(core)))}
	if blamed > 0 {
		said = append(said, agent.Plural(blamed, "suspected line")+" not among them")
	}
	return kept, append(said, d.others(core)...)
}

func theseHunks(n int) string {
	if n == 1 {
		return "this hunk"
	}
	return "these hunks"
}

// first returns the first hunks that fit, at least a part of one, and the number of omitted
// blamed lines.
func (d Diff) first(hunks []gitext.Hunk, room int) (kept []gitext.Hunk, blamed int) {
	for i, h := range hunks {
		size := hunkSize(h)
		if i == 0 && size > room {
			head := beginning(h, room)
			lost, _ := holds(h, d.Blamed)
			has, _ := holds(head, d.Blamed)
			kept, blamed, room = append(kept, head), lost-has, 0
			continue
		}
		if room -= size; room < 0 {
			has, _ := holds(h, d.Blamed)
			blamed += has
			continue
		}
		kept = append(kept, h)
	}
	return kept, blamed
}

// beginning returns the first lines of a hunk, as many as fit and at least one.
func beginning(h gitext.Hunk, room int) gitext.Hunk {
	room -= len(hunkHeader(h))
	n := 0
	for n < len(h.Lines) {
		if room -= 2 + len(shown(h.Lines[n].Text)); room < 0 && n > 0 {
			break
		}
		n++
	}
	return part(h, 0, n)
}

// window returns the lines of a hunk that are at most radius lines away from a blamed line, as
// separate hunks. If the blamed line is in a function, the lines belong to this function or are
// next to it. Gaps of a few lines are filled.
func (d Diff) window(h gitext.Hunk, radius int) []gitext.Hunk {
	const gap, above, below = 3, 3, 1
	at := positions(h)
	keep := make([]bool, len(h.Lines))
	reach := func(i int) {
		around := make([]bool, len(keep))
		mark(around, i, radius)
		f, held := d.function(at[i])
		for j := range around {
			if around[j] && (!held || at[j] >= f.Start-above && at[j] <= f.End+below) {
				keep[j] = true
			}
		}
	}
	for i := range h.Lines {
		if isBlamed(h.Lines[i], d.Blamed) {
			reach(i)
		}
	}
	if !slices.Contains(keep, true) {
		reach(nearestLine(h, d.Blamed))
	}
	var out []gitext.Hunk
	for from := 0; from < len(keep); from++ {
		if !keep[from] {
			continue
		}
		to := from + 1
		for j := to; j < len(keep) && j <= to+gap; j++ {
			if keep[j] {
				to = j + 1
			}
		}
		out = append(out, part(h, from, to))
		from = to
	}
	return out
}

// positions returns for each line of a hunk its number after the commit. A removed line gets
// the number of the next line.
func positions(h gitext.Hunk) []int {
	at := make([]int, len(h.Lines))
	next := h.NewStart
	if h.NewLines == 0 {
		next++
	}
	for i, l := range h.Lines {
		at[i] = next
		if l.Op != '-' {
			next++
		}
	}
	return at
}

// function returns the function with blamed lines around a line.
func (d Diff) function(line int) (gitext.LineRange, bool) {
	for _, r := range d.Within {
		if line >= r.Start && line <= r.End {
			return r, true
		}
	}
	return gitext.LineRange{}, false
}

func isBlamed(l gitext.PatchLine, blamed []int) bool {
	_, ok := slices.BinarySearch(blamed, l.New)
	return ok
}

// nearestLine returns the index of a hunk's line that is nearest to a blamed line.
func nearestLine(h gitext.Hunk, blamed []int) int {
	best, far := 0, 1<<30
	for i, l := range h.Lines {
		for _, at := range blamed {
			if d := max(at-l.New, l.New-at); l.New > 0 && d < far {
				best, far = i, d
			}
		}
	}
	return best
}

// part returns lines of a hunk as a separate hunk.
func part(h gitext.Hunk, from, to int) gitext.Hunk {
	p := gitext.Hunk{OldStart: h.OldStart, NewStart: h.NewStart, Section: section(h, from), Lines: h.Lines[from:to]}
	if h.OldLines == 0 {
		p.OldStart++ // a side without lines has the number of the line before
	}
	if h.NewLines == 0 {
		p.NewStart++
	}
	for i, l := range h.Lines[:to] {
		old, new := 1, 1
		switch l.Op {
		case '+':
			old = 0
		case '-':
			new = 0
		}
		if i < from {
			p.OldStart, p.NewStart = p.OldStart+old, p.NewStart+new
		} else {
			p.OldLines, p.NewLines = p.OldLines+old, p.NewLines+new
		}
	}
	if p.OldLines == 0 {
		p.OldStart--
	}
	if p.NewLines == 0 {
		p.NewStart--
	}
	return p
}

// section returns the last function heading before a line of a hunk. By git's rule, a heading
// begins with a letter, _ or $.
func section(h gitext.Hunk, before int) string {
	for i := before - 1; i >= 0; i-- {
		t := h.Lines[i].Text
		if len(t) > 0 && h.Lines[i].Op != '-' && (t[0] == '_' || t[0] == '$' || t[0]|0x20 >= 'a' && t[0]|0x20 <= 'z') {
			return string(t[:min(len(t), 80)])
		}
	}
	return h.Section
}

// withoutCR removes the carriage return at the end of each line of a diff, for a file with
// Windows line ends. If only some lines have one, it is meaningful and stays.
func withoutCR(hunks []gitext.Hunk) []gitext.Hunk {
	for _, h := range hunks {
		for _, l := range h.Lines {
			if !bytes.HasSuffix(l.Text, []byte("\r")) && !l.NoNewline {
				return hunks
			}
		}
	}
	out := make([]gitext.Hunk, len(hunks))
	for i, h := range hunks {
		h.Lines = slices.Clone(h.Lines)
		for j := range h.Lines {
			h.Lines[j].Text = bytes.TrimSuffix(h.Lines[j].Text, []byte("\r"))
		}
		out[i] = h
	}
	return out
}

func writeHunk(b *strings.Builder, h gitext.Hunk) {
	b.WriteString(hunkHeader(h))
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.WriteString(shown(l.Text))
		b.WriteByte('\n')
	}
}

func hunkHeader(h gitext.Hunk) string {
	span := func(start, lines int) string {
		if lines == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, lines)
	}
	text := fmt.Sprintf("@@ -%s +%s @@", span(h.OldStart, h.OldLines), span(h.NewStart, h.NewLines))
	if h.Section != "" {
		text += " " + agent.CleanLine(strings.TrimSuffix(h.Section, "\r"))
	}
	return text + "\n"
}

// shown returns the shown form of a line.
func shown(text []byte) string { return agent.Shorten(agent.CleanLine(string(text)), maxShownLine) }

func hunkSize(h gitext.Hunk) int {
	n := len(hunkHeader(h))
	for _, l := range h.Lines {
		n += 2 + len(shown(l.Text))
	}
	return n
}
