package gittool

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/condense"
	"git-agent/gitext"
)

// maxListed is the number of changed files listed before the patch.
const maxListed = 12

// kindOf describes a change apart from its lines.
func kindOf(f gitext.FileChange) string {
	var kinds []string
	if f.Submodule {
		kinds = append(kinds, "submodule")
	}
	if f.Binary {
		kinds = append(kinds, "binary")
	}
	if f.OldMode != 0 && f.NewMode != 0 && f.OldMode != f.NewMode {
		kinds = append(kinds, fmt.Sprintf("mode %06o -> %06o", f.OldMode, f.NewMode))
	}
	return strings.Join(kinds, ", ")
}

// title renders a file on one line of a list: "M lib/a.c +3 -1".
func (f FileChange) title() string {
	name := f.Path
	if f.OldPath != "" {
		name = f.OldPath + " => " + f.Path
	}
	s := fmt.Sprintf("%s %s +%d -%d", f.Status, name, f.Added, f.Deleted)
	if f.Kind != "" {
		s += " (" + f.Kind + ")"
	}
	return s
}

// These add room for a commit, in characters.
const (
	pathRoom    = 2500 // if the call asked for some of its files
	fileRoom    = 8000 // if the call asked for one of its files: about 200 changed lines
	messageRoom = 1500 // for the message, at most
)

// render renders a commit. Its levels drop the unchanged lines, then more and more of
// each hunk. The last one lists the files and shows the changes that fit. For a single
// file, or a requested path, it instead shows as much of each hunk as fits.
func (v *Show) render(detail int) condense.Layout {
	if detail == condense.Plain {
		return condense.Layout{Blocks: v.plain()}
	}
	level := []struct {
		message, lines int
		missing        string
	}{
		{1000, 0, ""},
		{30, 0, "unchanged lines left out"},
		{30, 6, "unchanged lines left out, about 6 deleted and 6 added lines of each hunk, more of pure additions"},
		{30, 2, "unchanged lines left out, about 2 deleted and 2 added lines of each hunk, more of pure additions"},
		{20, 1, "unchanged lines left out, about 1 deleted and 1 added line of each hunk, more of pure additions"},
		{20, 0, "changed lines left out, but for a few"},
	}[detail]
	near := !v.Stat && (v.Pattern != "" || v.Path != "" || len(v.Files) == 1)
	out := condense.Layout{Head: v.Commit.line(), Missing: level.missing, Unit: "files", Room: v.room(), Last: detail == 5 || near && detail == 2}
	if len(v.Files) == 1 {
		out.Narrow = "use git_blame with start and end at either side of a hunk"
	}
	about := v.about(level.message)
	switch {
	case detail == condense.Full: // pages begin with the message
		out.Blocks = append(lineBlocks(strings.Split(about[1:], "\n")), v.patch()...)
		return out
	case near && out.Last:
		out.Blocks, out.Unit = v.byHunk(out.Room-condense.Runes(out.Head+about)-condense.NoteRoom), "hunks"
		out.Missing = "unchanged lines left out, and changed ones where a hunk says so"
		if v.Pattern != "" {
			out.Missing = "lines away from " + asRun(v.Pattern) + " left out"
		}
	case out.Last:
		out.Blocks, out.Extras = v.beginning(), v.samples()
	default:
		out.Blocks = v.excerpt(level.lines)
	}
	out.Head += about
	return out
}

func (v *Show) room() int {
	room := condense.Room + min(messageRoom, condense.Runes(v.Commit.Message))
	switch {
	case v.Path == "":
		return room
	case len(v.Files) == 1 && !v.Stat:
		return room + fileRoom
	}
	return room + pathRoom
}

// about renders the message, without trailers, and counts the commit's changes.
func (v *Show) about(lines int) string {
	var b strings.Builder
	if v.Commit.Message != "" {
		message := strings.Split(strings.TrimSpace(v.Commit.Message), "\n")
		for i, l := range message {
			if i == lines {
				fmt.Fprintf(&b, "\n    ... (%d more lines)", len(message)-i)
				break
			}
			b.WriteString("\n    " + agent.Shorten(l, maxLineRunes))
		}
	}
	switch len(v.Parents) {
	case 0:
		b.WriteString("\nfirst commit, without a parent")
	case 1:
		b.WriteString("\nparent: " + short(v.Parents[0]))
	default:
		fmt.Fprintf(&b, "\nmerge of %s; compared with its first parent", strings.Join(shorts(v.Parents), " and "))
	}
	added, deleted := 0, 0
	for _, f := range v.Files {
		added, deleted = added+f.Added, deleted+f.Deleted
	}
	fmt.Fprintf(&b, "\nfiles: %d, +%d -%d", len(v.Files), added, deleted)
	if v.Path != "" && v.AllFiles > len(v.Files) {
		fmt.Fprintf(&b, " (of %d that the commit changes; only %q is shown)", v.AllFiles, v.Path)
	}
	if v.Pattern != "" {
		fmt.Fprintf(&b, "\nonly hunks with %s are shown; %d other hunk(s) are not, and %d file(s) have none", asRun(v.Pattern), v.Hidden, v.Elsewhere)
	}
	if v.Missing != "" {
		fmt.Fprintf(
			&b,
			"\nnote: this clone lacks object %s and perhaps others; changes that need them are not shown (\"patch not read\")",
			short(v.Missing),
		)
	}
	if v.Truncated {
		fmt.Fprintf(&b, "\nnote: only the first %d MiB of the patch were read; give path for the rest", maxPatchBytes>>20)
	}
	return b.String()
}

func shorts(oids []string) []string {
	var out []string
	for _, o := range oids {
		out = append(out, short(o))
	}
	return out
}

// list renders one block for each file.
func (v *Show) list() []condense.Block {
	var out []condense.Block
	for _, f := range v.Files {
		text := "  " + f.title()
		if n := len(f.Hunks); n > 0 && f.Status != "A" && f.Status != "D" {
			text += fmt.Sprintf(", %d hunk(s) from line %d", n, f.Hunks[0].OldStart)
		}
		out = append(out, condense.Block{Text: text})
	}
	return out
}

// beginning renders a list that leaves room for some of the changes. From many files it
// shows those with the most changed lines, program text first.
func (v *Show) beginning() []condense.Block {
	const most = 30
	if v.Stat || len(v.Files) <= most+1 {
		return v.list()
	}
	files := slices.Clone(v.Files)
	slices.SortStableFunc(files, func(x, y FileChange) int {
		if s := secondary(x.Path); s != secondary(y.Path) {
			return map[bool]int{true: 1, false: -1}[s]
		}
		return cmp.Compare(y.Added+y.Deleted, x.Added+x.Deleted)
	})
	shown := (&Show{Files: files[:most]}).list()
	return append(shown, condense.Block{Text: fmt.Sprintf("  ... (%d more files; stat=true lists all)", len(files)-most)})
}

// overview lists the files before a patch of several files.
func (v *Show) overview() []condense.Block {
	if len(v.Files) < 2 {
		return nil
	}
	var out []condense.Block
	for i, f := range v.Files {
		if i == maxListed && len(v.Files) > maxListed+1 {
			return append(out, condense.Block{Text: fmt.Sprintf("  ... (%d more files)", len(v.Files)-i)})
		}
		out = append(out, condense.Block{Text: "  " + f.title()})
	}
	return out
}

// patch renders the full patch, one block for each line.
func (v *Show) patch() []condense.Block {
	if v.Stat {
		return v.list()
	}
	out := v.overview()
	for _, f := range v.Files {
		out = append(out, condense.Block{Text: "--- " + f.title(), Section: "--- " + f.title()})
		for _, h := range f.Hunks {
			section := "--- " + f.title() + " " + h.header()
			out = append(out, condense.Block{Text: h.header(), Section: section})
			for _, l := range h.Lines {
				out = append(out, condense.Block{Text: agent.Shorten(l, maxLineRunes), Section: section})
			}
		}
	}
	return out
}

// excerpt renders the changed lines, one block for each file. If keep is not 0 it shows
// at most keep added and keep deleted lines of each hunk.
func (v *Show) excerpt(keep int) []condense.Block {
	if v.Stat {
		return v.list()
	}
	var out []condense.Block
	for _, f := range v.Files {
		out = append(out, condense.Block{Text: f.excerpt(keep)})
	}
	return out
}

// byHunk renders the changed lines with one block for each hunk: as much of each as fits
// into room characters.
func (v *Show) byHunk(room int) []condense.Block {
	var forms [][]string
	for _, f := range v.Files {
		title := "--- " + f.title()
		if len(f.Hunks) == 0 {
			forms = append(forms, []string{title})
		}
		for i, h := range f.Hunks {
			if i > 0 {
				title = ""
			}
			if v.Pattern != "" {
				forms = append(forms, h.formsAround(v.Pattern, title))
			} else {
				forms = append(forms, h.forms(title, room))
			}
		}
	}
	return condense.Fill(forms, condense.InOrder(len(forms)), room)
}

// forms renders the changed lines of a hunk below a title in several lengths, from few
// lines to all or to as many as fit. The longer forms have the first lines without a gap.
func (h Hunk) forms(title string, room int) []string {
	const step = 25 // lines
	with := func(lines []string) string { return strings.TrimPrefix(title+"\n"+strings.Join(lines, "\n"), "\n") }
	all := excerpt(h, 0)
	out := []string{with(excerpt(h, 1)), with(excerpt(h, 2)), with(excerpt(h, 6))}
	for n := step; n < len(all); n += step {
		added, deleted := Hunk{Lines: all[n:]}.counts()
		part := with(append(all[:n:n], fmt.Sprintf("... (+%d -%d more)", added, deleted)))
		if condense.Runes(part) > room {
			return out
		}
		if condense.Runes(part) > condense.Runes(out[len(out)-1]) {
			out = append(out, part)
		}
	}
	return append(out, with(all))
}

// formsAround renders a hunk below a title in several lengths: the lines with a text and ever more
// of those around them, at last all changed lines.
func (h Hunk) formsAround(text, title string) []string {
	var out []string
	for _, n := range []int{0, 3, 8, 20, 50} {
		var lines []string
		shown := 0
		for _, piece := range h.around(text, n) {
			added, deleted := piece.counts()
			shown += added + deleted
			lines = append(append(lines, piece.header()), shortened(piece.Lines)...)
		}
		added, deleted := h.counts()
		if left := added + deleted - shown; left > 0 {
			lines = append(lines, fmt.Sprintf("... (%d more changed lines)", left))
		}
		out = append(out, strings.TrimPrefix(title+"\n"+strings.Join(lines, "\n"), "\n"))
	}
	return append(out, strings.TrimPrefix(title+"\n"+strings.Join(excerpt(h, 0), "\n"), "\n"))
}

// firstHunk renders a few lines of the first hunk.
func (f FileChange) firstHunk() string {
	lines := append([]string{"--- " + f.title()}, excerpt(f.Hunks[0], 1)...)
	if n := len(f.Hunks); n > 1 {
		lines = append(lines, fmt.Sprintf("... (%d more hunk(s))", n-1))
	}
	return strings.Join(lines, "\n")
}

func (f FileChange) excerpt(keep int) string {
	lines := []string{"--- " + f.title()}
	for _, h := range f.Hunks {
		lines = append(lines, excerpt(h, keep)...)
	}
	return strings.Join(lines, "\n")
}

// samples returns the changes of each file as optional content, program text
// first.
func (v *Show) samples() []condense.Extra {
	var first, rest []condense.Extra
	for _, f := range v.Files {
		if len(f.Hunks) == 0 {
			continue
		}
		e := condense.Extra{f.excerpt(6), f.excerpt(1), f.firstHunk()}
		if secondary(f.Path) {
			rest = append(rest, e)
		} else {
			first = append(first, e)
		}
	}
	return append(first, rest...)
}

// secondary guesses whether a file is a test, a text or data. It only affects
// the order of samples.
func secondary(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".md", ".txt", ".rst", ".adoc", ".html", ".xml", ".json", ".yml", ".yaml", ".at", ".po", ".lock":
		return true
	}
	return strings.Contains(strings.ToLower(name), "test")
}

// excerpt renders the changed lines of a hunk. If keep is not 0 it shows at
// most keep added and keep deleted lines of each change.
func excerpt(h Hunk, keep int) []string {
	var out []string
	for _, part := range h.withoutContext() {
		lines := part.Lines
		if keep > 0 {
			lines = part.short(keep)
		}
		out = append(append(out, part.header()), shortened(lines)...)
	}
	return out
}

// shortened cuts lines to the length that is shown.
func shortened(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = agent.Shorten(l, maxLineRunes)
	}
	return out
}

// plain renders nearly the output of git show.
func (v *Show) plain() []condense.Block {
	c := v.Commit
	lines := []string{"commit " + c.OID}
	if len(v.Parents) > 1 {
		lines = append(lines, "Merge: "+strings.Join(shorts(v.Parents), " "))
	}
	lines = append(lines, plainMessage(c, v.Trailers)...)
	for _, f := range v.Files {
		if v.Stat {
			lines = append(lines, f.title())
			continue
		}
		before := f.Path
		if f.OldPath != "" {
			before = f.OldPath
		}
		lines = append(lines, fmt.Sprintf("diff --git a/%s b/%s", before, f.Path), "--- a/"+before, "+++ b/"+f.Path)
		for _, h := range f.Hunks {
			lines = append(append(lines, h.header()), h.Lines...)
		}
	}
	return lineBlocks(lines)
}

// plainMessage renders the head of a commit like git log.
func plainMessage(c Commit, trailers []string) []string {
	lines := []string{
		fmt.Sprintf("Author: %s <%s>", c.Author, c.Email),
		"Date:   " + c.Date.Format("Mon Jan 2 15:04:05 2006 -0700"),
		"", "    " + c.Subject, "",
	}
	if c.Message != "" {
		for l := range strings.SplitSeq(strings.TrimSpace(c.Message), "\n") {
			lines = append(lines, "    "+l)
		}
		lines = append(lines, "")
	}
	for _, t := range trailers {
		lines = append(lines, "    "+t)
	}
	return append(lines, "")
}

func lineBlocks(lines []string) []condense.Block {
	var out []condense.Block
	for _, l := range lines {
		out = append(out, condense.Block{Text: agent.Shorten(l, plainLineRunes)})
	}
	return out
}
