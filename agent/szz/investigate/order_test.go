package investigate

import (
	"math"
	"slices"
	"testing"
	"time"

	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// landed makes a candidate with a time and a place in the history.
func landed(oid, message string, at time.Time, position, recent int) rank.Ranked {
	c := gitext.Commit{OID: gitext.OID(oid), Message: message}
	c.Committer.Time = at
	return rank.Ranked{Probability: 0.1, Candidate: &candidate.Candidate{OID: c.OID, Commit: c, Position: position, Recent: recent, Diff: &candidate.CommitDiff{}}}
}

func TestPlace(t *testing.T) {
	// The list names facts that dates do not show: the order within a day, the parent of
	// the fix, and reverts.
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	d := &investigation{fc: &szz.FixContext{Parent: "aaaaaaaa"}}
	d.ranking = []rank.Ranked{
		landed("aaaaaaaa", "relay: last of the series", at, 0, -1),
		landed("bbbbbbbb", "relay: first of the series", at, 2, -1),
		landed("cccccccc", "relay: second of the series", at, 1, -1),
		landed("dddddddd", "Revert \"base: count\"\n\nThis reverts commit eeeeeeee.", at.Add(-72*time.Hour), 3, -1),
		landed("eeeeeeee", "base: count", at.Add(-96*time.Hour), -1, 7),
	}
	d.names = &commitNames{of: map[gitext.OID]string{}}
	for _, j := range d.ranking {
		d.names.add(j.Candidate.OID)
	}
	for i, want := range []string{"; the parent of the fix; landed after c3", "", "; landed after c2", "; reverts c5", ""} {
		if got := d.orderNotes(i); got != want {
			t.Errorf("c%d: got %q, want %q", i+1, got, want)
		}
	}
}

func TestTakeSmall(t *testing.T) {
	// One or two short hunks are shown instead of counted.
	t.Parallel()
	inf := math.Inf(1)
	far := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = inf
		}
		return out
	}
	file := &gitext.FileChange{Status: 'M', OldPath: "a.c", NewPath: "a.c"}
	for _, c := range []struct {
		left  []int // lines of the remaining hunks
		shown bool
	}{{[]int{2}, true}, {[]int{2, 3}, true}, {[]int{2, 2, 2}, false}, {[]int{200}, false}} {
		var parts []*patchPart
		for _, n := range append([]int{1}, c.left...) {
			parts = append(parts, &patchPart{file: file, hunk: added(n), far: far(n), shown: make([]bool, n), moved: make([]movedAround, n)})
		}
		parts[0].shown[0] = true
		showSmall(parts)
		for _, p := range parts[1:] {
			if got := !slices.Contains(p.shown, false); got != c.shown {
				t.Errorf("%v: shown %v", c.left, got)
			}
		}
	}
}
