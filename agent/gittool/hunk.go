package gittool

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Hunk is a hunk of a patch. Each line begins with ' ', '-' or '+'.
type Hunk struct {
	OldStart int      `json:"old_start"`
	OldLines int      `json:"old_lines"`
	NewStart int      `json:"new_start"`
	NewLines int      `json:"new_lines"`
	Section  string   `json:"section,omitempty"` // heading of the function before it, as found by git
	Lines    []string `json:"lines"`
}

// maxSection is the number of characters of a function's heading in a hunk header.
const maxSection = 60

func (h Hunk) header() string {
	s := fmt.Sprintf("@@ -%s +%s @@", extent(h.OldStart, h.OldLines), extent(h.NewStart, h.NewLines))
	if h.Section != "" {
		s += " " + clip(h.Section, maxSection)
	}
	return s
}

// extent renders a start and a length in the form of diff.
func extent(start, lines int) string {
	if lines == 1 {
		return strconv.Itoa(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// counts returns the numbers of added and deleted lines.
func (h Hunk) counts() (added, deleted int) {
	for _, l := range h.Lines {
		switch l[0] {
		case '+':
			added++
		case '-':
			deleted++
		}
	}
	return added, deleted
}

// withoutContext splits h into the hunks of -U0.
func (h Hunk) withoutContext() []Hunk { return h.withContext(0) }

// withContext splits h into hunks with at most context unchanged lines on
// either side of a change.
func (h Hunk) withContext(context int) []Hunk { return h.pieces(h.nearChange(context)) }

// around splits h into hunks of the lines that are at most n lines away from one with the text.
func (h Hunk) around(text string, n int) []Hunk {
	return h.pieces(h.nearLines(n, func(l string) bool { return strings.Contains(l[1:], text) }))
}

// pieces splits h into hunks of the lines that kept marks.
func (h Hunk) pieces(kept []bool) []Hunk {
	var out []Hunk
	old, now := h.OldStart, h.NewStart
	// A side without lines has the number of the line before it.
	if h.OldLines == 0 {
		old++
	}
	if h.NewLines == 0 {
		now++
	}
	inside := false
	for i, keep := range kept {
		l := h.Lines[i]
		if keep && !inside {
			out = append(out, Hunk{OldStart: old, NewStart: now})
		}
		inside = keep
		isOld, isNew := count(l[0] != '+'), count(l[0] != '-')
		old, now = old+isOld, now+isNew
		if inside {
			last := &out[len(out)-1]
			last.Lines = append(last.Lines, l)
			last.OldLines, last.NewLines = last.OldLines+isOld, last.NewLines+isNew
		}
	}
	if len(out) > 0 {
		out[0].Section = h.Section
	}
	for i := range out {
		if out[i].OldLines == 0 {
			out[i].OldStart--
		}
		if out[i].NewLines == 0 {
			out[i].NewStart--
		}
	}
	return out
}

// nearChange reports for each line whether a changed line is at most context lines away.
func (h Hunk) nearChange(context int) []bool {
	return h.nearLines(context, func(l string) bool { return l[0] != ' ' })
}

// nearLines reports for each line whether a line for which is holds is at most context lines away.
func (h Hunk) nearLines(context int, is func(line string) bool) []bool {
	near := make([]bool, len(h.Lines))
	for i, l := range h.Lines {
		if !is(l) {
			continue
		}
		for at := max(i-context, 0); at <= min(i+context, len(near)-1); at++ {
			near[at] = true
		}
	}
	return near
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// hasWord reports whether a line has a letter or a digit. A brace alone says nothing.
func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// linesToShow returns the number of added or deleted lines of h to show; keep is the
// number for most hunks. Pure additions are new behaviour and say more than lines that
// replace as many others, which mostly follow a change made elsewhere.
func (h Hunk) linesToShow(keep int) int {
	const most = 10
	switch added, deleted := h.counts(); {
	case deleted == 0:
		return min(4*keep, max(keep, most))
	case added == deleted && added > 1:
		return max(1, keep/2)
	}
	return keep
}

// short returns at most keep deleted and keep added lines with letters or digits,
// adjusted by linesToShow. A last line counts the omitted lines.
func (h Hunk) short(keep int) []string {
	keep = h.linesToShow(keep)
	var out []string
	var left Hunk
	added, deleted := 0, 0
	for _, l := range h.Lines {
		n := &added
		if l[0] == '-' {
			n = &deleted
		}
		if !hasWord(l[1:]) {
			left.Lines = append(left.Lines, l)
			continue
		}
		if *n++; *n <= keep {
			out = append(out, l)
		} else {
			left.Lines = append(left.Lines, l)
		}
	}
	if len(left.Lines) < 2 { // counting them would take as much room
		return h.Lines
	}
	added, deleted = left.counts()
	return append(out, fmt.Sprintf("... (+%d -%d more)", added, deleted))
}

// hunksOf converts hunks of gitext. If every line ends with a carriage return, the
// carriage returns are dropped.
func hunksOf(in []gitext.Hunk) (out []Hunk, crlf bool) {
	crlf = allCRLF(in)
	for _, h := range in {
		hunk := Hunk{OldStart: h.OldStart, OldLines: h.OldLines, NewStart: h.NewStart, NewLines: h.NewLines,
			Section: strings.TrimSpace(agent.Shorten(agent.CleanLine(h.Section), maxValueRunes))}
		for _, l := range h.Lines {
			text := string(l.Text)
			if crlf {
				text = strings.TrimSuffix(text, "\r")
			}
			hunk.Lines = append(hunk.Lines, string(l.Op)+agent.Shorten(agent.CleanLine(text), maxValueRunes))
		}
		out = append(out, hunk)
	}
	return out, crlf
}

func allCRLF(in []gitext.Hunk) bool {
	n := 0
	for _, h := range in {
		for _, l := range h.Lines {
			if !bytes.HasSuffix(l.Text, []byte("\r")) {
				return false
			}
			n++
		}
	}
	return n > 0
}

var hunkHeader = source.Lazy(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// parseHunks parses the patch that git log -L prints for one commit. It takes lines by
// the counts in the hunk header, never by their beginnings.
func parseHunks(patch []byte) []Hunk {
	var out []Hunk
	old, now := 0, 0 // lines still to come
	for raw := range bytes.Lines(patch) {
		text := line(strings.TrimSuffix(string(raw), "\n"))
		if old <= 0 && now <= 0 {
			if m := hunkHeader().FindStringSubmatch(text); m != nil {
				h := Hunk{OldStart: number(m[1], 0), OldLines: number(m[2], 1), NewStart: number(m[3], 0), NewLines: number(m[4], 1)}
				old, now = h.OldLines, h.NewLines
				out = append(out, h)
			}
			continue
		}
		if text == "" {
			text = " " // diff.suppressBlankEmpty
		}
		switch text[0] {
		case ' ':
			old, now = old-1, now-1
		case '-':
			old--
		case '+':
			now--
		default:
			continue // "\ No newline at end of file"
		}
		last := &out[len(out)-1]
		last.Lines = append(last.Lines, text)
	}
	return out
}

func number(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return otherwise
	}
	return n
}
