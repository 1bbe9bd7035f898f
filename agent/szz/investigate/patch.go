package investigate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// maxPromptLine is the number of runes of a patch line that a prompt shows.
const maxPromptLine = 160

// patchText renders the fix's patch: source files first, then tests, then the rest. The
// fix is hidden from the tools, so the model cannot see the omitted parts. If the patch
// does not fit, context lines are omitted first, and the files of a kind share the room
// left by the kinds before it.
func (d *investigation) patchText() string {
	files := slices.Clone(d.fc.Mask.Patch(d.fc.Patch).Files)
	slices.SortStableFunc(files, func(a, b gitext.FileChange) int {
		return cmp.Compare(importance(&a), importance(&b))
	})
	most, aside := maxFixPatch, maxAside
	if d.opt.NoCompression {
		most, aside = wholeText, wholeText
	}
	var b strings.Builder
	left := 0
	for len(files) > 0 {
		n := 1
		for n < len(files) && importance(&files[n]) == importance(&files[0]) {
			n++
		}
		room := most - b.Len()
		if b.Len() > 0 {
			room = min(room, aside)
		}
		texts := d.fileTexts(files[:n], room)
		share := fairShare(texts, room)
		for _, t := range texts {
			if room < min(len(t), minFileText) {
				left++
				continue
			}
			t = cutLines(t, min(share, room))
			b.WriteString(t)
			room -= len(t)
		}
		files = files[n:]
	}
	if left > 0 {
		fmt.Fprintf(&b, "(%d more %s changed, tests and texts last)\n", left, agent.PluralOf(left, "file", "files"))
	}
	for _, f := range d.fc.Generated {
		fmt.Fprintf(&b, "(%s is generated, and not shown)\n", cmp.Or(f.NewPath, f.OldPath))
	}
	return b.String()
}

// Bounds of the rendered patch, in characters.
const (
	minFileText = 500  // least room of one file; a longer file with less room is left out
	maxAside    = 1200 // of tests, and of other files, beside source files
	maxGoneFile = 1200 // of a file that the fix deletes
)

// fileTexts renders files with context, or without it if they do not fit.
func (d *investigation) fileTexts(files []gitext.FileChange, room int) []string {
	var texts []string
	for _, context := range []int{szz.ContextLines, 0} {
		texts = texts[:0]
		total := 0
		for i := range files {
			f := &files[i]
			t := fileTitle(f) + "\n" + fileText(f, d.ownersOf(f), context)
			if f.Status == 'D' && !d.opt.NoCompression {
				t = cutLines(t, maxGoneFile)
			}
			texts = append(texts, t)
			total += len(t)
		}
		if total <= room {
			break
		}
	}
	return texts
}

// fairShare returns the length limit of a text at which all texts fit into room. Long
// texts share the room that short texts do not need.
func fairShare(texts []string, room int) int {
	var sizes []int
	for _, t := range texts {
		sizes = append(sizes, len(t))
	}
	slices.Sort(sizes)
	for i, n := range sizes {
		if share := room / (len(sizes) - i); n > share {
			return max(share, minFileText)
		}
		room -= n
	}
	return max(room, 0) + sizes[len(sizes)-1]
}

// importance orders changed files by their kind.
func importance(f *gitext.FileChange) source.FileKind {
	return source.FileKindOf(cmp.Or(f.OldPath, f.NewPath))
}

// fileTitle renders the name of a changed file and the size of the change on one line.
func fileTitle(f *gitext.FileChange) string {
	added, deleted := 0, 0
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '+':
				added++
			case '-':
				deleted++
			}
		}
	}
	name := cmp.Or(f.NewPath, f.OldPath)
	if f.OldPath != "" && f.NewPath != "" && f.OldPath != f.NewPath {
		name = f.OldPath + " => " + f.NewPath
	}
	kind := ""
	if f.Binary {
		kind = " (binary)"
	}
	return fmt.Sprintf("--- %c %s +%d -%d%s", f.Status, agent.CleanLine(name), added, deleted, kind)
}

// ownersOf maps the lines of a file in the fix's parent to short names.
func (d *investigation) ownersOf(f *gitext.FileChange) map[int]string {
	owners := map[int]string{}
	for i := range d.k.Set.Anchors {
		if a := &d.k.Set.Anchors[i]; d.k.Set.Files[a.File].OldPath == f.OldPath {
			owners[a.Line] = d.names.of[a.Owner]
		}
	}
	return owners
}

// fileText renders the hunks of a file, with context lines if context is not 0. Each line
// of the fix's parent begins with the short name of its owner.
func fileText(f *gitext.FileChange, owners map[int]string, context int) string {
	width := 0
	for _, o := range owners {
		width = max(width, len(o))
	}
	var b strings.Builder
	for _, h := range f.Hunks {
		b.WriteString(hunkTitle(&h))
		for i, l := range h.Lines {
			if l.Op == ' ' && context == 0 {
				continue
			}
			if width > 0 {
				owner := ""
				if l.Old > 0 {
					owner = owners[l.Old]
				}
				fmt.Fprintf(&b, "%-*s ", width, owner)
			}
			b.WriteString(patchLine(h.Lines[i]))
		}
	}
	return b.String()
}

// patchLine renders one line of a patch.
func patchLine(l gitext.PatchLine) string {
	text := strings.TrimSuffix(string(l.Text), "\r")
	return strings.TrimRight(string(l.Op)+agent.Abridge(agent.CleanLine(text), maxPromptLine), " ") + "\n"
}

// cutLines keeps the first lines of text that fit into room.
func cutLines(text string, room int) string {
	var b strings.Builder
	if len(text) <= room {
		return text
	}
	n := strings.Count(text, "\n")
	for line := range strings.Lines(text) {
		if b.Len()+len(line) > room-40 {
			fmt.Fprintf(&b, "(%d more lines)\n", n)
			break
		}
		b.WriteString(line)
		n--
	}
	return b.String()
}
