package szztrain

import (
	"math"
	"testing"

	"git-agent/agent/szz/risk"
)

func TestPrecisionAtTenth(t *testing.T) {
	// Named and other commits weigh as much as they are frequent in the history.
	t.Parallel()
	named, others := []float64{9, 8, 1, 1}, []float64{7, 6, 5, 4, 3, 2, 1, 0}
	for _, tt := range []struct{ share, want float64 }{
		{0.5, 1},    // half of the named are above all others, and are a quarter of all commits
		{0.1, 0.5},  // they are a twentieth; the rest of the tenth are others
		{0.01, .05}, // they are a two-hundredth
	} {
		if got := precisionAtTenth(named, others, tt.share); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("share %v: %v, want %v", tt.share, got, tt.want)
		}
	}
}

func TestFitRisk(t *testing.T) {
	// The model finds the feature that tells named commits from others, and its scale is that of the
	// others.
	t.Parallel()
	var rows []riskRow
	for i := range 200 {
		x := make([]float64, len(risk.Names()))
		x[2], x[5] = float64(i%2), float64(i/2%2)
		rows = append(rows, riskRow{Repo: "a/b", Named: i%2 == 1, X: x, Share: 0.5})
	}
	w := fitRisk(rows, len(risk.PlainNames()))
	names := risk.Names()
	if w.Features[names[2]] < 1 || math.Abs(w.Features[names[5]]) > 0.5 || len(w.Features) != len(risk.PlainNames()) {
		t.Errorf("%v", w.Features)
	}
	f := riskScorer{score: func(r riskRow) float64 { return w.Sum(r.X) }}.measure(rows)
	if f.auc != 1 || w.Rank(w.Sum(rows[1].X)) != 1 || w.Rank(w.Sum(rows[0].X)) > 0.6 {
		t.Errorf("area %v, ranks %v and %v", f.auc, w.Rank(w.Sum(rows[1].X)), w.Rank(w.Sum(rows[0].X)))
	}
}
