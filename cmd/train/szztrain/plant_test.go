package szztrain

import (
	"testing"

	"git-agent/agent/szz/check"
)

// The fitted weights tell right pairs from planted ones, and the level leaves the share of right ones
// below it that was asked for.
func TestFitPairs(t *testing.T) {
	var rows []pairRow
	for i := range 200 {
		x := float64(i%10) / 10
		rows = append(rows, pairRow{Repo: "o/a", Kind: "right", Tie: []float64{1 + x, x}}, pairRow{Repo: "o/b", Kind: "other", Tie: []float64{x - 0.5, x}})
	}
	names := []string{"tells", "noise"}
	w := fitPairs(rows, names, func(r pairRow) []float64 { return r.Tie }, 0.05)
	if w.Features["tells"] < 1 {
		t.Errorf("%+v", w)
	}
	below := map[string]int{}
	for _, r := range rows {
		if w.Sum(names, r.Tie) < w.Level {
			below[r.Kind]++
		}
	}
	if below["right"] > 10 || below["other"] != 200 {
		t.Errorf("%v below the level of %+v", below, w)
	}
	m := check.Model{Tie: w}
	if got := (pairRow{Tie: make([]float64, len(check.TieNames)), Ranked: []float64{0, 1}}).ranked(m)[1]; got != 1 {
		t.Errorf("the ranking's features changed to %v", got)
	}
}
