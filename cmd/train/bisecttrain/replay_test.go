package bisecttrain

import (
	"fmt"
	"slices"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A replayed search finds the known culprit, and a good prior saves runs.
func TestReplay(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	var all []gitext.OID // newest first
	for i := range 70 {
		all = slices.Insert(all, 0, h.Commit(fmt.Sprint("change ", i), gittest.Files{"a": fmt.Sprint(i)}))
	}
	repo := h.Open()
	bad, culprit, good := all[0], all[30], all[64]
	has, err := descendants(t.Context(), repo, bad, culprit)
	if err != nil || len(has) != 31 {
		t.Fatalf("%d commits have the culprit: %v", len(has), err)
	}
	sharp := make([]float64, 64)
	for i := range sharp {
		sharp[i] = 0.1 / 64
	}
	sharp[30] = 0.9
	p := &replayed{}
	if err := p.search(t.Context(), repo, bad, good, has, weightsOf(all[:64], sharp)); err != nil {
		t.Fatal(err)
	}
	runs, err := halve(t.Context(), repo, bad, good, has)
	if err != nil || runs != 6 {
		t.Errorf("git takes %d runs: %v", runs, err)
	}
	if !p.Right || p.Runs != 3 || p.Needed != 3 {
		t.Errorf("the search: %+v", p)
	}
	if p.Git = runs; !p.half() {
		t.Error("three runs are more than half of six")
	}
}
