package stat

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A fit finds the weights that generated the choices, up to chance, and a feature without
// information gets none.
func TestFitChoice(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, Seed))
	truth := Choice{"near": 2, "large": -0.5, "noise": 0}
	names := []string{"near", "large", "noise"}
	var sets []ChoiceSet
	for range 1500 {
		s := ChoiceSet{Right: make([]bool, 6), Weight: 1}
		for range 6 {
			s.Vectors = append(s.Vectors, []float64{r.Float64(), 4 * r.Float64(), r.Float64()})
		}
		shares := truth.Shares(names, s.Vectors)
		sum := 0.0
		for _, x := range shares {
			sum += x
		}
		x := r.Float64() * sum
		for i := range shares {
			if x -= shares[i]; x <= 0 {
				s.Right[i] = true
				break
			}
		}
		sets = append(sets, s)
	}
	got := FitChoice(names, sets, 0.1)
	for name, want := range truth {
		if math.Abs(got[name]-want) > 0.35 {
			t.Errorf("%s: %.2f, want %.2f", name, got[name], want)
		}
	}
}

// A penalty keeps weights finite if one feature decides all choices, and sets without a right
// item change nothing.
func TestFitChoiceOfCertainty(t *testing.T) {
	t.Parallel()
	sets := []ChoiceSet{
		{Vectors: [][]float64{{1, 5}, {0, 5}}, Right: []bool{true, false}, Weight: 1},
		{Vectors: [][]float64{{0, 5}, {1, 5}}, Right: []bool{false, true}, Weight: 1},
	}
	got := FitChoice([]string{"a", "b"}, sets, 0.5)
	if got["a"] < 0.5 || got["a"] > 20 || math.Abs(got["b"]) > 1e-6 {
		t.Errorf("%v", got)
	}
	more := append(sets, ChoiceSet{Vectors: [][]float64{{0, 5}, {1, 5}}, Right: []bool{false, false}, Weight: 1})
	if again := FitChoice([]string{"a", "b"}, more, 0.5); math.Abs(again["a"]-got["a"]) > 0.3 {
		t.Errorf("%v, and %v with a set without an answer", got, again)
	}
}
