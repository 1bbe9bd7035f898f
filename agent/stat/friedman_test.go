package stat

import (
	"math"
	"testing"
)

// roundingTimes are the times of 22 players with three ways to round first base, the
// example of R's friedman.test (Hollander and Wolfe, 1973, page 140).
var roundingTimes = [][]float64{
	{5.40, 5.50, 5.55}, {5.85, 5.70, 5.75}, {5.20, 5.60, 5.50}, {5.55, 5.50, 5.40}, {5.90, 5.85, 5.70}, {5.45, 5.55, 5.60},
	{5.40, 5.40, 5.35}, {5.45, 5.50, 5.35}, {5.25, 5.15, 5.00}, {5.85, 5.80, 5.70}, {5.25, 5.20, 5.10}, {5.65, 5.55, 5.45},
	{5.60, 5.35, 5.45}, {5.05, 5.00, 4.95}, {5.50, 5.50, 5.40}, {5.45, 5.55, 5.50}, {5.55, 5.55, 5.35}, {5.45, 5.50, 5.55},
	{5.50, 5.45, 5.25}, {5.65, 5.60, 5.40}, {5.70, 5.65, 5.55}, {6.30, 6.30, 6.25},
}

// The results equal those that R prints for its example (11.143 and 0.003805), and SciPy's for
// the example of scipy.stats.friedmanchisquare, the pulse of seven students.
func TestFriedmanExamples(t *testing.T) {
	chi, p := Friedman(roundingTimes)
	if math.Abs(chi-11.143) > 5e-4 || math.Abs(p-0.003805) > 5e-7 {
		t.Errorf("R's example: %v, p %v", chi, p)
	}
	before := []float64{72, 96, 88, 92, 74, 76, 82}
	after := []float64{120, 120, 132, 120, 101, 96, 112}
	later := []float64{76, 95, 104, 96, 84, 72, 76}
	var rows [][]float64
	for i := range before {
		rows = append(rows, []float64{before[i], after[i], later[i]})
	}
	chi, p = Friedman(rows)
	near(t, "statistic of SciPy's example", chi, 10.57142857142857)
	near(t, "p of SciPy's example", p, 0.005063414171757498)
}

// Without data to compare, nothing is significant.
func TestFriedmanNothing(t *testing.T) {
	for _, rows := range [][][]float64{nil, {{1}, {2}}, {{1, 1, 1}, {4, 4, 4}}} {
		if chi, p := Friedman(rows); chi != 0 || p != 1 {
			t.Errorf("%v: %v, %v", rows, chi, p)
		}
	}
}

// The tails of the distribution equal printed tables of critical values, for even and odd degrees
// of freedom.
func TestChiSquared(t *testing.T) {
	for _, c := range []struct {
		x       float64
		degrees int
		p       float64
	}{{3.841458820694124, 1, 0.05}, {5.991464547107979, 2, 0.05}, {7.814727903251179, 3, 0.05}, {13.276704135987622, 4, 0.01}, {20.515005652432873, 5, 0.001}} {
		if got := chiSquared(c.x, c.degrees); math.Abs(got-c.p) > 1e-9 {
			t.Errorf("ChiSquared(%v, %d) is %v, want %v", c.x, c.degrees, got, c.p)
		}
	}
	if chiSquared(0, 3) != 1 || chiSquared(-1, 3) != 1 {
		t.Error("the whole distribution is not at least 0")
	}
}
