package gittool

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/condense"
)

func (v *FunctionLog) head() string {
	what := fmt.Sprintf("%s of %s", v.Function, v.Path)
	if v.Function == "" {
		what = fmt.Sprintf("lines %d-%d of %s", v.Start, v.End, v.Path)
	}
	s := fmt.Sprintf("history of %s, from %s: %d commit(s), newest first", what, short(v.Commit), len(v.Hits))
	switch {
	case len(v.Hits) == 0:
		s = fmt.Sprintf("history of %s, from %s: no commits in this range of dates", what, short(v.Commit))
	case v.More:
		s += " (there are older ones: raise max, or give until)"
	}
	s += v.followed()
	if v.Missing != "" {
		s += "\n" + gapNote(v.Missing, v.Gap, v.Path)
	}
	return s
}

// followed names the lines that git took for the function. For classes, and in languages
// whose functions git does not know, they may be only the heading.
func (v *FunctionLog) followed() string {
	if v.Layout {
		return fmt.Sprintf("; git does not see this function, so lines %d-%d at %s were followed (by indentation)", v.Start, v.End, short(v.Commit))
	}
	if v.Function == "" || len(v.Hits) == 0 || len(v.Hits[0].Hunks) == 0 {
		return ""
	}
	const head = 3 // lines; few functions are as short
	h := v.Hits[0].Hunks[0]
	lines := fmt.Sprintf("lines %d-%d", h.NewStart, h.NewStart+h.NewLines-1)
	switch {
	case h.NewLines == 0:
		return ""
	case h.NewLines <= head:
		return fmt.Sprintf("\nnote: followed only %s, as of the newest of them; give start and end for a body", lines)
	}
	return fmt.Sprintf("; followed %s, as of the newest of them", lines)
}

// These bound the text of a history, in characters and lines.
const (
	hitsRoom  = 5000 // enough for one line of each of twenty commits
	bodyLines = 60   // lines of a function at its creation, the target of most searches
	bodyRoom  = 3000 // additional room for those lines
	hitLines  = 8    // lines of each other commit, while there is room
)

// render renders the history. Its levels drop the unchanged lines, then more and more of
// each change. The last one counts the changed lines and shows as many as fit: first from
// the creation, then from the oldest and newest commits before the ones in between.
func (v *FunctionLog) render(detail int) condense.Layout {
	if detail == condense.Plain {
		return condense.Layout{Blocks: v.plain()}
	}
	keep := []int{0, 0, 6, 2, 0}[detail]
	out := condense.Layout{Head: v.head(), Unit: "commits", Tail: 1, Last: detail == 4, Room: v.room()}
	switch {
	case out.Last:
		out.Missing = fmt.Sprintf("unchanged lines left out, at most %d of the changed lines of each commit", hitLines)
		out.Blocks = v.beginnings(out.Room - condense.Runes(out.Head) - condense.NoteRoom)
		return out
	case detail == 1:
		out.Missing = "unchanged lines left out"
	case detail > 1:
		out.Missing = fmt.Sprintf("unchanged lines left out, about %d deleted and %d added line(s) of each hunk", keep, keep)
	}
	for i, h := range v.Hits {
		switch title := v.title(h); {
		case detail == condense.Full:
			out.Blocks = append(out.Blocks, h.full(title, i == 0)...)
		case h.Created && keep > 0:
			out.Blocks = append(out.Blocks, condense.Block{Text: h.beginning(title, bodyLines)})
		default:
			out.Blocks = append(out.Blocks, condense.Block{Text: h.excerpt(title, keep)})
		}
	}
	return out
}

func (v *FunctionLog) room() int {
	room := hitsRoom
	if n := len(v.Hits); n > 0 && v.Hits[n-1].Created {
		room += min(bodyRoom, condense.Runes(v.Hits[n-1].beginning("", bodyLines)))
	}
	return room
}

func (v *FunctionLog) title(h FunctionHit) string {
	title := fmt.Sprintf("%s +%d -%d", h.Commit.line(), h.Added, h.Deleted)
	if h.Path != "" && h.Path != v.Path {
		title += " in " + h.Path
	}
	if h.Created {
		title += " (created here)"
	}
	return title
}

// beginnings shows part of each commit, in at most room characters in all, or only the
// titles if these are already too long.
func (v *FunctionLog) beginnings(room int) []condense.Block {
	var forms [][]string
	for _, h := range v.Hits {
		title := v.title(h)
		if h.Created {
			forms = append(forms, []string{h.beginning(title, hitLines), h.beginning(title, bodyLines)})
			continue
		}
		forms = append(forms, []string{title, h.sample(title), h.changedLines(title, hitLines)})
	}
	return condense.Fill(forms, condense.OutsideIn(len(v.Hits)), room)
}

// beginning renders the first added lines with letters or digits, among them
// those of the new function.
func (h FunctionHit) beginning(title string, most int) string {
	s, n := title, 0
	for _, hunk := range h.Hunks {
		for _, l := range hunk.Lines {
			if l[0] != '+' || !hasWord(l[1:]) {
				continue
			}
			if n++; n <= most {
				s += "\n" + clip(l, maxHitRunes)
			}
		}
	}
	if n > most {
		s += fmt.Sprintf("\n... (+%d more)", n-most)
	}
	return s
}

func (h FunctionHit) excerpt(title string, keep int) string {
	lines := []string{title}
	for _, hunk := range h.Hunks {
		lines = append(lines, excerpt(hunk, keep)...)
	}
	return strings.Join(lines, "\n")
}

// changedLines renders at most that many of the first changed lines with letters or
// digits: half of them deleted ones, or more if there are few added ones.
func (h FunctionHit) changedLines(title string, most int) string {
	changed := map[byte][]string{}
	for _, hunk := range h.Hunks {
		for _, l := range hunk.Lines {
			if l[0] != ' ' && hasWord(l[1:]) {
				changed[l[0]] = append(changed[l[0]], l)
			}
		}
	}
	added, deleted := len(changed['+']), len(changed['-'])
	shownDeleted := min(deleted, max(most/2, most-added))
	shownAdded := min(added, most-shownDeleted)
	s := title
	for _, l := range append(changed['-'][:shownDeleted:shownDeleted], changed['+'][:shownAdded]...) {
		s += "\n" + clip(l, maxHitRunes)
	}
	if more := added - shownAdded + deleted - shownDeleted; more > 0 {
		s += fmt.Sprintf("\n... (%d more)", more)
	}
	return s
}

// sampleRunes is the number of characters of a line in a sample.
const sampleRunes = 70

// sample renders the first deleted and the first added line with letters or
// digits.
func (h FunctionHit) sample(title string) string {
	s := title
	for _, op := range "-+" {
		s += h.first(byte(op))
	}
	return s
}

func (h FunctionHit) first(op byte) string {
	for _, hunk := range h.Hunks {
		for _, l := range hunk.Lines {
			if text := strings.TrimSpace(l[1:]); l[0] == op && hasWord(text) {
				return fmt.Sprintf("\n  %c %s", op, clip(text, sampleRunes))
			}
		}
	}
	return ""
}

// full renders the patch with some context around each change, or, if whole is set, with
// the whole of a short function, as git prints it for every commit.
func (h FunctionHit) full(title string, whole bool) []condense.Block {
	const context = 3 // git's default
	out := []condense.Block{{Text: title, Section: title}}
	for _, hunk := range h.Hunks {
		parts := []Hunk{hunk}
		if !whole || len(hunk.Lines) > bodyLines {
			parts = hunk.withContext(context)
		}
		for _, part := range parts {
			out = append(out, condense.Block{Text: part.header(), Section: title})
			for _, l := range part.Lines {
				out = append(out, condense.Block{Text: agent.Shorten(l, maxLineRunes), Section: title})
			}
		}
	}
	return out
}

// plain renders the output of git log -L.
func (v *FunctionLog) plain() []condense.Block {
	var lines []string
	for _, h := range v.Hits {
		lines = append(append(lines, "commit "+h.Commit.OID), plainMessage(h.Commit, nil)...)
		lines = append(lines, "--- a/"+h.Path, "+++ b/"+h.Path)
		for _, hunk := range h.Hunks {
			lines = append(append(lines, hunk.header()), hunk.Lines...)
		}
	}
	return lineBlocks(lines)
}
