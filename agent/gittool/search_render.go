package gittool

import (
	"fmt"
	"strings"

	"git-agent/agent/condense"
)

// question describes the search on one line.
func (v *Search) question() string {
	s := "commits"
	switch {
	case v.Pattern == "":
	case v.Mode == "S":
		s = "-S " + asRun(v.Pattern) + " (literal)"
	default:
		s = "-G " + asRun(v.Pattern) + " (regular expression)"
	}
	if v.Path != "" {
		s += " in " + v.Path
		if v.Folder {
			s += " (renames of the directory not followed)"
		}
	}
	s += ", history of " + short(v.Commit)
	if v.Since != "" {
		s += ", since " + v.Since
	}
	if v.Until != "" {
		s += ", until " + v.Until
	}
	return s
}

// again stands for the reason for the unread changes of a commit, behind the first one that has it.
const again = "-"

// searchRoom is the length of the longest list of commits, in characters. Each commit
// should have room for one line of its change.
const searchRoom = 3800

// render renders a search. Its levels show fewer of the changed lines; the last two show
// the beginning of one line for each commit.
func (v *Search) render(detail int) condense.Layout {
	if detail == condense.Plain {
		return condense.Layout{Blocks: v.plain()}
	}
	keep := []int{maxHitLines, 2, 1, 0, 0}[detail]
	out := condense.Layout{Head: v.head(), Unit: "commits", Tail: 3, Last: detail == 4}
	switch {
	case keep == 0:
		out.Room = searchRoom
		out.Missing = "all but the first of the changed lines of each commit"
	case detail != condense.Full:
		out.Missing = fmt.Sprintf("at most %d deleted and %d added line(s) of each commit", keep, keep)
	}
	said := false
	for _, h := range v.Hits {
		if h.Unread != "" && said {
			h.Unread = again // each such commit lacks another object, which tells a reader no more
		}
		said = said || h.Unread != ""
		if out.Last {
			h.Commit.Author = clip(h.Commit.Author, 12)
			h.Commit.Subject = clip(h.Commit.Subject, 50)
		}
		out.Blocks = append(out.Blocks, condense.Block{Text: h.render(keep)})
	}
	return out
}

func (v *Search) head() string {
	if len(v.Hits) == 0 {
		return v.question() + ": no commits found" + v.presenceLine() + v.advice()
	}
	end := "newest first"
	if v.Order == "oldest" {
		end = "oldest first"
	}
	s := fmt.Sprintf("%s: %d commit(s), %s", v.question(), len(v.Hits), end)
	switch {
	case v.More && v.Total > 0:
		s += fmt.Sprintf(" (%d in all: raise max for the newer ones)", v.Total)
	case v.More:
		s += ` (there are older ones: raise max, or order="oldest" for the origin)`
	}
	if v.Missing != "" {
		s += "\n" + gapNote(v.Missing, v.Gap, v.Path)
	}
	redacted := 0
	for _, h := range v.Hits {
		redacted += h.Redacted
	}
	return s + v.presenceLine() + redactedNote(redacted)
}

// presenceLine says on a separate line whether the text still exists.
func (v *Search) presenceLine() string {
	if v.Presence == nil {
		return ""
	}
	var newest *SearchHit
	switch { // a search that saw the newest changes
	case len(v.Hits) == 0 || v.Until != "":
	case v.Order == "newest":
		newest = &v.Hits[0]
	case !v.More:
		newest = &v.Hits[len(v.Hits)-1]
	}
	return "\n" + v.Presence.render(v.Commit, newest)
}

func (v *Search) leaveOutAdvice() { v.unadvised = true }

// advice suggests, on a separate line, the next steps after an empty answer.
func (v *Search) advice() string {
	var try []string
	switch {
	case v.unadvised:
		return ""
	case v.Pattern == "":
		return "\ntry: a wider range of dates, or an older commit"
	case v.Mode == "S" && strings.ContainsAny(v.Pattern, `\*+?[]|^$`):
		try = append(try, `mode "S" takes the pattern literally; mode "G" takes a regular expression`)
	case v.Mode == "S":
		try = append(try, `mode "G" also finds commits that only moved or rewrote such lines`)
	}
	if v.Path != "" {
		try = append(try, "without path all files are searched")
	}
	if v.Since != "" || v.Until != "" {
		try = append(try, "a wider range of dates")
	}
	return "\ntry: " + strings.Join(append(try, "a shorter or differently spelled pattern"), "; ")
}

// marks adds facts to a commit's line that its changed lines do not show.
func (h SearchHit) marks() string {
	s := ""
	if h.Added+h.Deleted > 0 {
		s = fmt.Sprintf(" +%d -%d", h.Added, h.Deleted)
	}
	switch h.Unread {
	case "":
	case again:
		s += " (changes not read)"
	default:
		s += " (changes not read: " + h.Unread + ")"
	}
	if h.Renamed != "" {
		s += " (" + h.Renamed + ")"
	}
	if h.Moved != "" {
		s += " (" + h.Moved + ")"
	}
	return s
}

// twins names the number of other files with a line.
func (l HitLine) twins() string {
	if l.Same == 0 {
		return ""
	}
	return fmt.Sprintf(" (and in %d more files)", l.Same)
}

// render renders a commit with at most keep of its deleted and of its added lines, or,
// for 0, the beginning of one line.
func (h SearchHit) render(keep int) string {
	s := h.Commit.line() + h.marks()
	if len(h.Lines) == 0 {
		const most = 3
		if n := len(h.Files); n+h.Twins > most || h.Twins > 0 {
			n, shown := n+h.Twins, min(most, n)
			return fmt.Sprintf("%s [%s, %d more files]", s, strings.Join(h.Files[:shown], ", "), n-shown)
		} else if n > 0 {
			return s + " [" + strings.Join(h.Files, ", ") + "]"
		}
		return s
	}
	if keep == 0 {
		l := h.Lines[0]
		return s + fmt.Sprintf("\n  %s %s:%d: %s%s", l.Op, l.Path, l.Line, around(l.Text, l.At, sampleRunes), l.twins())
	}
	shown := map[string]int{}
	rest := h.More
	for _, l := range h.Lines {
		if shown[l.Op]++; shown[l.Op] > keep {
			rest++
			continue
		}
		s += fmt.Sprintf("\n  %s %s:%d: %s%s", l.Op, l.Path, l.Line, around(l.Text, l.At, maxHitRunes), l.twins())
	}
	if h.Twins > 0 {
		s += fmt.Sprintf("\n  ... (and %d more translations)", h.Twins)
	}
	if rest > 0 {
		s += fmt.Sprintf("\n  ... (%d more)", rest)
	}
	return s
}

// maxHitRunes is the number of shown characters of a matching line.
const maxHitRunes = 160

// plain renders the output of git log.
func (v *Search) plain() []condense.Block {
	var lines []string
	for _, h := range v.Hits {
		lines = append(append(lines, "commit "+h.Commit.OID), plainMessage(h.Commit, nil)...)
	}
	return lineBlocks(lines)
}
