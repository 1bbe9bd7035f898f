package trees

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// noisy makes rows whose truth is an exclusive or of two features and a third.
func noisy(n int) Rows {
	rng := rand.New(rand.NewPCG(1, 2))
	var r Rows
	for i := range n {
		x := []float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
		y := (x[0] > 0.5) != (x[1] > 0.3) && x[2] < 0.8
		r.X, r.Y = append(r.X, x), append(r.Y, y)
		r.Weight, r.Group = append(r.Weight, 1), append(r.Group, i/10)
	}
	return r
}

var small = Params{Rounds: 60, Leaves: 8, MinRows: 10, LearningRate: 0.2, L2: 1, FeatureShare: 1, RowShare: 0.8, Seed: 7}

// A pattern that no single feature shows is learned, and holds for new rows.
func TestTrainLearnsInteractions(t *testing.T) {
	rows := noisy(4000)
	test := Rows{X: rows.X[3000:], Y: rows.Y[3000:]}
	rows.X, rows.Y, rows.Weight, rows.Group = rows.X[:3000], rows.Y[:3000], rows.Weight[:3000], rows.Group[:3000]
	m := Train(rows, small)
	wrong := 0
	for i, x := range test.X {
		if (m.Score(x) > 0) != test.Y[i] {
			wrong++
		}
	}
	if share := float64(wrong) / float64(len(test.X)); share > 0.05 {
		t.Errorf("wrong on %.3f of new rows", share)
	}
}

// The same rows and seed give the same model.
func TestTrainIsDeterministic(t *testing.T) {
	if a, b := Train(noisy(500), small), Train(noisy(500), small); !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
}

// What the features contribute adds up to the score, and a feature that no
// tree asks for contributes nothing.
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

// Leaves never hold fewer rows than asked, whatever the data.
func TestConstantTruth(t *testing.T) {
	rows := noisy(200)
	for i := range rows.Y {
		rows.Y[i] = false
	}
	m := Train(rows, small)
	if s := m.Score(rows.X[0]); s > -5 {
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
