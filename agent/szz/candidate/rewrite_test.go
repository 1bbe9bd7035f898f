package candidate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// The index finds the same hunk as reading all hunks: the first of those that removed the
// most words, more than half of them. Words and pairs of words both count.
func TestRewriteOf(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	moved := 0
	for range 300 {
		d := &CommitDiff{Hunks: map[string][]DiffHunk{"a.c": randomHunks(rng)}}
		for range 5 {
			words := make([]string, 1+rng.IntN(6))
			for i := range words {
				words[i] = fmt.Sprintf("w%d", rng.IntN(12))
				if rng.IntN(4) == 0 {
					words[i] += fmt.Sprintf(" w%d", rng.IntN(12))
				}
			}
			l := gitext.BlameLine{Path: "a.c", OrigLine: 1, PreviousPath: "a.c"}
			got, want := d.rewriteOf(l, words), rewriteByReading(d, words)
			if got != want {
				t.Fatalf("of %q: %+v, want %+v", words, got, want)
			}
			if got != nil && got != &d.Hunks["a.c"][0] {
				moved++
			}
		}
	}
	if moved < 50 {
		t.Errorf("only %d of the answers are another hunk than the line's own", moved)
	}
}

// The hunks with a word are found without reading those that lack it.
func TestHunksWithMost(t *testing.T) {
	t.Parallel()
	var hunks []DiffHunk
	for i := range 1000 {
		hunks = append(hunks, hunkWithout(i, "return", fmt.Sprintf("rare%d", i)))
	}
	d := &CommitDiff{Hunks: map[string][]DiffHunk{"a.c": hunks}}
	if got := d.hunksWithMost("a.c", []string{"return", "rare700"}); len(got) != 1 || got[0] != 700 {
		t.Errorf("%d hunks are read: %v", len(got), got)
	}
}

// rewriteByReading is rewriteOf for a line of the first hunk, without an index.
func rewriteByReading(d *CommitDiff, words []string) *DiffHunk {
	found := func(h *DiffHunk) (n int) {
		for _, w := range words {
			if h.tookOut(w) {
				n++
			}
		}
		return n
	}
	hunks := d.Hunks["a.c"]
	if found(&hunks[0]) > 0 {
		return &hunks[0]
	}
	var from *DiffHunk
	for i := range hunks {
		if h := &hunks[i]; 2*found(h) > len(words) && (from == nil || found(h) > found(from)) {
			from = h
		}
	}
	return from
}

func randomHunks(rng *rand.Rand) []DiffHunk {
	hunks := make([]DiffHunk, 1+rng.IntN(12))
	for i := range hunks {
		words := make([]string, 1+rng.IntN(8)*min(i, 1))
		for j := range words {
			words[j] = fmt.Sprintf("w%d", rng.IntN(12))
		}
		hunks[i] = hunkWithout(i, words...)
	}
	return hunks
}

// hunkWithout returns the hunk of line i+1 that removed a line with the words.
func hunkWithout(i int, words ...string) DiffHunk {
	line := []byte(strings.Join(words, " "))
	out := source.Bag{}
	out.AddCode(line)
	return DiffHunk{oldPath: "a.c", oldStart: i + 1, oldEnd: i + 1, newStart: i + 1, newEnd: i + 1, Out: out, removed: [][]byte{line}}
}
