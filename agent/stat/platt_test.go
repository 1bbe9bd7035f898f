package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// predictions returns n predictions, each of which is right with probability
// truth(raw, agreement).
func predictions(n int, agreement []float64, truth func(raw, agreement float64) float64) []Voted {
	random := rand.New(rand.NewPCG(1, 2))
	var list []Voted
	for range n {
		raw := 0.05 + 0.9*random.Float64()
		share := agreement[random.IntN(len(agreement))]
		list = append(list, Voted{Raw: raw, Agreement: share, Right: random.Float64() < truth(raw, share)})
	}
	return list
}

func TestFitPlattFindsTheMap(t *testing.T) {
	// FitPlatt undoes a known distortion and leaves calibrated probabilities
	// unchanged.
	t.Parallel()
	one, several := []float64{1}, []float64{0.34, 0.67, 1}
	for name, test := range map[string]struct {
		agreement []float64
		truth     func(raw, agreement float64) float64
	}{
		"calibrated": {one, func(raw, _ float64) float64 { return raw }},
		"underconfident": {one, func(raw, _ float64) float64 {
			return Platt{Raw: 2, Constant: 0.5}.Probability(raw, 1)
		}},
		"overconfident": {one, func(raw, _ float64) float64 { return Platt{Raw: 0.5, Constant: -0.5}.Probability(raw, 1) }},
		"votes tell": {several, func(raw, a float64) float64 {
			return Platt{Raw: 1, Agreement: 3, Constant: 0.5}.Probability(raw, a)
		}},
	} {
		k := FitPlatt(predictions(4000, test.agreement, test.truth))
		for _, raw := range []float64{0.1, 0.3, 0.5, 0.7, 0.9} {
			for _, a := range test.agreement {
				if got, want := k.Probability(raw, a), test.truth(raw, a); math.Abs(got-want) > 0.05 {
					t.Errorf("%s: %.2f with agreement %.2f becomes %.3f, want %.3f (%+v)", name, raw, a, got, want, k)
				}
			}
		}
	}
}

func TestFitPlattIsMonotone(t *testing.T) {
	// A higher raw probability or agreement never gives a lower probability, and
	// nothing is certain. This holds even if the sure predictions are wrong, if
	// all are right, or if there are few.
	t.Parallel()
	lists := map[string][]Voted{
		"none": nil,
		"one":  {{Raw: 0.9, Agreement: 1, Right: true}},
		"upside down": predictions(300, []float64{0.34, 1}, func(raw, a float64) float64 {
			return (1 - raw) * (1.3 - a)
		}),
		"all right": predictions(300, []float64{0.5, 1}, func(float64, float64) float64 { return 1.1 }),
		"all wrong": predictions(300, []float64{0.5, 1}, func(float64, float64) float64 { return -0.1 }),
		"divided":   predictions(300, []float64{1}, func(raw, _ float64) float64 { return math.Round(raw) }),
	}
	random := rand.New(rand.NewPCG(3, 4))
	for name, list := range lists {
		k := FitPlatt(list)
		for range 500 {
			raw, a := random.Float64(), random.Float64()
			p := k.Probability(raw, a)
			if !(p > 0 && p < 1) {
				t.Fatalf("%s: %v, %v becomes %v", name, raw, a, p)
			}
			if k.Probability(min(1, raw+0.1), a) < p || k.Probability(raw, min(1, a+0.1)) < p {
				t.Fatalf("%s: surer than %v, %v is less probable: %+v", name, raw, a, k)
			}
		}
	}
	if k := FitPlatt(nil); k != identity {
		t.Errorf("nothing gives %+v", k)
	}
	if k := FitPlatt(lists["upside down"]); k.Raw != 0 || k.Agreement != 0 {
		t.Errorf("what contradicts the raw probability gives %+v", k)
	}
}

// Folds keep each group together and are of about equal size.
func TestFolds(t *testing.T) {
	size, of := map[string]int{}, func(i int) string { return fmt.Sprint(i * i % 17) }
	for i := range 100 {
		size[of(i)]++
	}
	fold, folds := Folds(size, 5)
	load := make([]int, folds)
	for i := range 100 {
		load[fold[of(i)]]++
	}
	for k, n := range load {
		if n < 10 || n > 30 {
			t.Errorf("fold %d has %d of 100: %v", k, n, load)
		}
	}
}
