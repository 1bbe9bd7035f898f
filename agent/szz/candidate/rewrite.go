package candidate

import (
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// A hunkIndex maps words and pairs of words to the hunks of one file that removed them.
// Without it, a commit that reformats a file would have all its hunks searched for each
// line.
type hunkIndex struct {
	words, pairs map[string][]int // indices into CommitDiff.Hunks, ascending; pairs is made on first use
}

// tookOut reports whether the hunk removed a word or a pair of words.
func (h *DiffHunk) tookOut(w string) bool {
	if !strings.Contains(w, " ") {
		return h.Out[w] > 0
	}
	return h.pairsOut()[w] > 0
}

// pairsOut returns the pairs of words in the first lines that the hunk removed.
func (h *DiffHunk) pairsOut() source.Bag {
	if h.removedPairs == nil {
		h.removedPairs = source.Bag{}
		for _, l := range h.removed {
			h.removedPairs.AddPairs(l)
		}
	}
	return h.removedPairs
}

// rewriteOf returns the hunk that removed the words from the place where the owner of a
// line found them: the hunk that wrote the line or, if the line was moved within the
// file, the hunk that removed most of the words. It is nil if there is none, and if a
// file was made of two files and blame follows another one than the diff, which knows
// fewer files.
func (d *CommitDiff) rewriteOf(l gitext.BlameLine, words []string) *DiffHunk {
	h := d.HunkAt(l.Path, l.OrigLine)
	if h == nil || h.oldPath != l.PreviousPath {
		return nil
	}
	if slices.ContainsFunc(words, h.tookOut) {
		return h
	}
	var from *DiffHunk
	most := len(words) / 2 // a hunk must have removed more
	for _, i := range d.hunksWithMost(l.Path, words) {
		o := &d.Hunks[l.Path][i]
		n := 0
		for _, w := range words {
			if o.tookOut(w) {
				n++
			}
		}
		if n > most {
			from, most = o, n
		}
	}
	return from
}

// hunksWithMost returns the indices of hunks that may have removed more than half of the
// words, ascending. Such a hunk removed at least one of the rarer half of them, so the
// words that most hunks have in common are not looked up.
func (d *CommitDiff) hunksWithMost(path string, words []string) []int {
	lists := make([][]int, len(words))
	for i, w := range words {
		lists[i] = d.hunksWithout(path, w)
	}
	slices.SortStableFunc(lists, func(a, b []int) int { return len(a) - len(b) })
	var places []int
	for _, list := range lists[:(len(lists)+1)/2] {
		places = append(places, list...)
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// hunksWithout returns the indices of the hunks of a file that removed a word or a pair
// of words, ascending.
func (d *CommitDiff) hunksWithout(path, word string) []int {
	ix := d.index[path]
	if ix == nil {
		ix = &hunkIndex{words: map[string][]int{}}
		for i := range d.Hunks[path] {
			for w := range d.Hunks[path][i].Out {
				ix.words[w] = append(ix.words[w], i)
			}
		}
		if d.index == nil {
			d.index = map[string]*hunkIndex{}
		}
		d.index[path] = ix
	}
	if !strings.Contains(word, " ") {
		return ix.words[word]
	}
	if ix.pairs == nil {
		ix.pairs = map[string][]int{}
		for i := range d.Hunks[path] {
			for w := range d.Hunks[path][i].pairsOut() {
				ix.pairs[w] = append(ix.pairs[w], i)
			}
		}
	}
	return ix.pairs[word]
}
