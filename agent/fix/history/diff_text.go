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
	said []string // what was left out
}

// maxShownLine is how many characters of a line are shown. Longer lines are generated.
const maxShownLine = 300

// diffSize returns the bytes of a whole diff as diffText writes it.
func diffSize(d Diff) int {
	n := 0
	for _, h := range d.Hunks {
		n += hunkSize(h, false)
	}
	return n
}

// diffText writes a diff within room bytes. If it does not fit, hunks that are longer
// than half of the room are divided at blank lines, and the hunks that are most relevant
// are written, in the file's order. A diff with hunks always gets at least one.
func diffText(d Diff, room int) written {
	strip := allCR(d.Hunks)
	hunks, order, whole := d.Hunks, d.Order, true
	if diffSize(d) > room {
		hunks = nil
		for _, h := range d.Hunks {
			hunks = append(hunks, divide(h, max(room/2, minPiece))...)
		}
		order = nearest(hunks, d.Blamed)
		whole = false
	}
	var chosen []int
	left := room
	for i, at := range order {
		size := hunkSize(hunks[at], strip)
		if !whole && size > left && i > 0 {
			continue
		}
		left -= size
		chosen = append(chosen, at)
	}
	slices.Sort(chosen)
	var b strings.Builder
	for _, h := range joined(hunks, chosen) {
		writeHunk(&b, h, strip)
	}
	return written{strings.TrimSuffix(b.String(), "\n"), omitted(d, hunks, chosen)}
}

// omitted says what a diff's text lacks.
func omitted(d Diff, hunks []gitext.Hunk, chosen []int) []string {
	var said []string
	lines := 0
	for i, h := range hunks {
		if !slices.Contains(chosen, i) {
			for _, l := range h.Lines {
				if l.Op != ' ' {
					lines++
				}
			}
		}
	}
	if lines > 0 {
		said = append(said, fmt.Sprintf("%s of this file not shown (%s)", agent.Plural(missing(d, hunks, chosen), "more hunk"), agent.Plural(lines, "changed line")))
	}
	if d.NoSpace {
		said = append(said, "changes of white space not shown")
	}
	if d.Cut {
		said = append(said, "the diff is too large to be read completely")
	}
	return said
}

// missing counts the hunks of a diff that are not shown completely.
func missing(d Diff, hunks []gitext.Hunk, chosen []int) int {
	n := 0
	at := 0
	for _, whole := range d.Hunks {
		lacks := false
		for lines := 0; at < len(hunks) && lines < len(whole.Lines); at++ {
			lines += len(hunks[at].Lines)
			lacks = lacks || !slices.Contains(chosen, at)
		}
		if lacks {
			n++
		}
	}
	return n
}

// minPiece is how many bytes a hunk has at least before it is divided.
const minPiece = 600

// divide divides a hunk of more than room bytes: before the last line that follows a
// blank line, if that leaves a part of some length, else where the room ends.
func divide(h gitext.Hunk, room int) []gitext.Hunk {
	var out []gitext.Hunk
	begin, size, cut := 0, 0, -1
	for i, l := range h.Lines {
		if i > begin && blank(h.Lines[i-1]) && size > room/3 {
			cut = i
		}
		if size += lineSize(l); size <= room || i == begin {
			continue
		}
		if cut <= begin {
			cut = i
		}
		out = append(out, part(h, begin, cut))
		begin, size = cut, 0
		for _, l := range h.Lines[begin : i+1] {
			size += lineSize(l)
		}
		cut = -1
	}
	return append(out, part(h, begin, len(h.Lines)))
}

func blank(l gitext.PatchLine) bool { return len(bytes.TrimSpace(l.Text)) == 0 }

// part returns lines of a hunk as a hunk of its own.
func part(h gitext.Hunk, from, to int) gitext.Hunk {
	p := gitext.Hunk{OldStart: h.OldStart, NewStart: h.NewStart, Section: h.Section, Lines: h.Lines[from:to]}
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

// joined returns the chosen hunks. Parts of one hunk that follow each other are one
// again.
func joined(hunks []gitext.Hunk, chosen []int) []gitext.Hunk {
	var out []gitext.Hunk
	for i, at := range chosen {
		h := hunks[at]
		if i > 0 && chosen[i-1] == at-1 {
			if last := &out[len(out)-1]; follows(*last, h) {
				last.Lines = append(slices.Clip(last.Lines), h.Lines...)
				if last.OldLines == 0 && h.OldLines > 0 {
					last.OldStart++
				}
				if last.NewLines == 0 && h.NewLines > 0 {
					last.NewStart++
				}
				last.OldLines, last.NewLines = last.OldLines+h.OldLines, last.NewLines+h.NewLines
				continue
			}
		}
		out = append(out, h)
	}
	return out
}

// follows reports whether a hunk begins where another one ends on both sides.
func follows(a, b gitext.Hunk) bool {
	next := func(start, lines int) int {
		if lines == 0 {
			return start + 1
		}
		return start + lines
	}
	first := func(start, lines int) int {
		if lines == 0 {
			return start + 1
		}
		return start
	}
	return next(a.OldStart, a.OldLines) == first(b.OldStart, b.OldLines) && next(a.NewStart, a.NewLines) == first(b.NewStart, b.NewLines)
}

// allCR reports whether each line of a diff ends with a carriage return, as in a file
// with the line ends of Windows. It says nothing then, and is not shown.
func allCR(hunks []gitext.Hunk) bool {
	for _, h := range hunks {
		for _, l := range h.Lines {
			if !bytes.HasSuffix(l.Text, []byte("\r")) && !l.NoNewline {
				return false
			}
		}
	}
	return true
}

func writeHunk(b *strings.Builder, h gitext.Hunk, strip bool) {
	b.WriteString(hunkHeader(h))
	for _, l := range h.Lines {
		b.WriteByte(l.Op)
		b.WriteString(shown(l.Text, strip))
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

// shown returns a line of a file as it is shown.
func shown(text []byte, strip bool) string {
	if strip {
		text = bytes.TrimSuffix(text, []byte("\r"))
	}
	return agent.Shorten(agent.CleanLine(string(text)), maxShownLine)
}

func hunkSize(h gitext.Hunk, strip bool) int {
	n := len(hunkHeader(h))
	for _, l := range h.Lines {
		n += 2 + len(shown(l.Text, strip))
	}
	return n
}

// lineSize is about the size of a line's text.
func lineSize(l gitext.PatchLine) int { return min(len(l.Text), maxShownLine) + 2 }
