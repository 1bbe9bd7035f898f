package fix

import (
	"slices"

	"github.com/sergi/go-diff/diffmatchpatch"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// HunksBetween returns the hunks, without context, that lead from one text to another.
func HunksBetween(before, after []byte) []gitext.Hunk {
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0 // the same result on any machine; only lines are compared, and these are few
	a, b, table := dmp.DiffLinesToRunes(string(before), string(after))
	var list []gitext.Hunk
	var open *gitext.Hunk
	was, is := 1, 1
	for _, d := range dmp.DiffCharsToLines(dmp.DiffMainRunes(a, b, false), table) {
		lines := source.SplitLines([]byte(d.Text))
		if d.Type == diffmatchpatch.DiffEqual {
			was, is, open = was+len(lines), is+len(lines), nil
			continue
		}
		if open == nil {
			list = append(list, gitext.Hunk{OldStart: was, NewStart: is})
			open = &list[len(list)-1]
		}
		for _, text := range lines {
			if d.Type == diffmatchpatch.DiffDelete {
				open.Lines = append(open.Lines, gitext.PatchLine{Op: '-', Text: text, Old: was})
				open.OldLines, was = open.OldLines+1, was+1
			} else {
				open.Lines = append(open.Lines, gitext.PatchLine{Op: '+', Text: text, New: is})
				open.NewLines, is = open.NewLines+1, is+1
			}
		}
	}
	for i := range list {
		if list[i].NewLines == 0 {
			list[i].NewStart-- // as in a patch: the line after which lines were removed
		}
	}
	return list
}

// KeptLines maps the line numbers of a text to those of the same lines behind hunks. Lines that the hunks
// remove are left out.
func KeptLines(before []byte, hunks []gitext.Hunk) map[int]int {
	to := map[int]int{}
	last := len(source.SplitLines(before))
	was, is := 1, 1
	for _, h := range append(slices.Clip(hunks), gitext.Hunk{OldStart: last + 1}) {
		for ; was < h.OldStart; was, is = was+1, is+1 {
			to[was] = is
		}
		was, is = was+h.OldLines, is+h.NewLines
	}
	return to
}
