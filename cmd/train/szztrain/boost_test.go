package szztrain

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// noisy makes groups of ten rows; the true one has the highest merit: an
// exclusive or of two features, and a third to break ties.
func noisy(n int) Rows {
	rng := rand.New(rand.NewPCG(1, 2))
	var r Rows
	for lo := 0; lo < n; lo += 10 {
		best, top := lo, -1.0
		for i := lo; i < lo+10; i++ {
			x := []float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
			merit := x[2]
			if (x[0] > 0.5) != (x[1] > 0.3) {
				merit += 2
			}
			if merit > top {
				best, top = i, merit
			}
			r.X, r.Y = append(r.X, x), append(r.Y, false)
			r.Weight, r.Group = append(r.Weight, 1), append(r.Group, lo/10)
		}
		r.Y[best] = true
	}
	return r
}

var small = Params{Rounds: 150, Leaves: 8, MinRows: 10, LearningRate: 0.2, L2: 1, FeatureShare: 1, RowShare: 0.8, Seed: 7}

// A pattern that no single feature shows is learned, and holds for new groups.
func TestTrainLearnsInteractions(t *testing.T) {
	rows := noisy(8000)
	test := Rows{X: rows.X[6000:], Y: rows.Y[6000:]}
	rows.X, rows.Y, rows.Weight, rows.Group = rows.X[:6000], rows.Y[:6000], rows.Weight[:6000], rows.Group[:6000]
	m := Train(rows, small)
	right := 0
	for lo := 0; lo < len(test.X); lo += 10 {
		best := lo
		for i := lo; i < lo+10; i++ {
			if m.Score(test.X[i]) > m.Score(test.X[best]) {
				best = i
			}
		}
		if test.Y[best] {
			right++
		}
	}
	if share := float64(right) / float64(len(test.X)/10); share < 0.8 {
		t.Errorf("right in %.3f of new groups; chance is 0.1, the third feature alone 0.2", share)
	}
}

// The same rows and seed give the same model.
func TestTrainIsDeterministic(t *testing.T) {
	if a, b := Train(noisy(500), small), Train(noisy(500), small); !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
}

// The contributions of the features add up to the score, and a feature unused by
// all trees contributes nothing.
func TestExplainAddsUp(t *testing.T) {
	rows := noisy(1000)
	for i := range rows.X {
		rows.X[i] = append(rows.X[i], 1) // constant: no split is possible
	}
	m := Train(rows, small)
	for _, x := range rows.X[:50] {
		score, base, because := m.Explain(x)
		sum := base
		for _, b := range because {
			sum += b
		}
		if math.Abs(score-m.Score(x)) > 1e-9 || math.Abs(sum-score) > 1e-9 || because[4] != 0 {
			t.Fatalf("score %g, explained %g, sum %g, constant %g", m.Score(x), score, sum, because[4])
		}
	}
}

// Groups without a true row do not affect the training.
func TestNothingTrue(t *testing.T) {
	rows := noisy(200)
	for i := range rows.Y {
		rows.Y[i] = false
	}
	m := Train(rows, small)
	if s := m.Score(rows.X[0]); s != 0 {
		t.Errorf("score %g when nothing is ever true", s)
	}
}

func BenchmarkExplain(b *testing.B) {
	rows := noisy(2000)
	m := Train(rows, small)
	for b.Loop() {
		m.Explain(rows.X[0])
	}
}

// Trees with initial scores correct them, and leave right scores unchanged.
func TestTrainCorrectsScores(t *testing.T) {
	rows := noisy(3000)
	known := func(x []float64) float64 { return 20 * x[2] }
	merit := func(x []float64) float64 {
		if (x[0] > 0.5) != (x[1] > 0.3) {
			return 40
		}
		return 0
	}
	moved := func(start func([]float64) float64) float64 {
		rows.Start = nil
		for _, x := range rows.X {
			rows.Start = append(rows.Start, start(x))
		}
		m := Train(rows, Params{Rounds: 60, Leaves: 6, MinRows: 10, LearningRate: 0.2, L2: 1, FeatureShare: 1, RowShare: 0.8, Seed: 7})
		most := 0.0
		for _, x := range rows.X {
			most = max(most, math.Abs(m.Score(x)))
		}
		return most
	}
	whole := func(x []float64) float64 { return merit(x) + known(x) }
	if right, partly := moved(whole), moved(known); right > partly/2 {
		t.Errorf("right scores are moved by %.2f, others by %.2f", right, partly)
	}
}
