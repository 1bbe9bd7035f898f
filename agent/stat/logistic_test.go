package stat

import (
	"math"
	"testing"
)

// grid returns rows whose targets follow from the coefficients w. Their weights
// are given by weight.
func grid(w [3]float64, weight func(x float64) float64) []LogisticRow {
	var rows []LogisticRow
	for x := -2.0; x <= 2; x += 0.5 {
		for y := -1.0; y <= 1; y += 0.5 {
			rows = append(rows, LogisticRow{[3]float64{x, y, 1}, Logistic(w[0]*x + w[1]*y + w[2]), weight(x)})
		}
	}
	return rows
}

func close3(a, b [3]float64) bool {
	for j := range a {
		if math.Abs(a[j]-b[j]) > 1e-6 {
			return false
		}
	}
	return true
}

func TestFit(t *testing.T) {
	// The fit finds the coefficients behind the targets, whatever the weights. A
	// strong prior overrides the rows, and a held coefficient is 0.
	t.Parallel()
	made, even := [3]float64{1.5, -0.7, 0.3}, func(float64) float64 { return 1 }
	for name, rows := range map[string][]LogisticRow{
		"even":   grid(made, even),
		"uneven": grid(made, func(x float64) float64 { return 3 + x }),
	} {
		if w := FitLogistic(rows, LogisticPrior{At: [3]float64{1, 0, 0}}); !close3(w, made) {
			t.Errorf("%s: %v, made by %v", name, w, made)
		}
	}
	at := [3]float64{1, 0, 0}
	if w := FitLogistic(grid(made, even), LogisticPrior{At: at, Force: [3]float64{1e9, 1e9, 1e9}}); !close3(w, at) {
		t.Errorf("a strong prior gives %v", w)
	}
	if w := FitLogistic(nil, LogisticPrior{At: at, Force: [3]float64{1, 1, 1}}); w != at {
		t.Errorf("nothing gives %v", w)
	}
	held := LogisticPrior{At: at, Held: [3]bool{false, true, false}}
	if w := FitLogistic(grid([3]float64{1.5, 0, 0.3}, even), held); !close3(w, [3]float64{1.5, 0, 0.3}) || w[1] != 0 {
		t.Errorf("held: %v", w)
	}
}

func TestFitOfSeparableRows(t *testing.T) {
	// If an input separates right from wrong without error, the loss has no
	// minimum. A weak prior keeps the coefficients finite.
	t.Parallel()
	var rows []LogisticRow
	for x := -2.0; x <= 2; x += 0.25 {
		rows = append(rows, LogisticRow{[3]float64{x, 0, 1}, math.Round(Logistic(9 * (x - 0.1))), 1})
	}
	w := FitLogistic(rows, LogisticPrior{Force: [3]float64{1e-3, 1e-3, 1e-3}})
	if !(w[0] > 1 && w[0] < 1e3) || w[1] != 0 {
		t.Errorf("%v", w)
	}
}
