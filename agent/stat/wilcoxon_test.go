package stat

import (
	"math"
	"testing"
)

// The statistic and the p-value equal those in the documentation of other implementations: R's
// wilcox.test (data of Hollander and Wolfe, 1973, page 29; R prints V, the sum for positive
// differences, here 40, while the other sum is 45-40, and the one-sided p-value 0.01953), and
// SciPy's scipy.stats.wilcoxon (the heights of plants).
func TestWilcoxonExamples(t *testing.T) {
	x := []float64{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30}
	y := []float64{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29}
	var d []float64
	for i := range x {
		d = append(d, y[i]-x[i])
	}
	w, p := Wilcoxon(d)
	near(t, "statistic of R's example", w, 5)
	near(t, "p of R's example", p, 2*0.01953125)
	w, p = Wilcoxon([]float64{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75})
	near(t, "statistic of SciPy's example", w, 24)
	near(t, "p of SciPy's example", p, 0.041259765625)
}

// With ties and zeros, the exact p-value counts all ways to sign the ranks one by one.
func TestWilcoxonTies(t *testing.T) {
	d := []float64{3, -3, 3, 5, 0, 8, -1, 5}
	ranks, _ := Ranks([]float64{3, 3, 3, 5, 8, 1, 5})
	w, p := Wilcoxon(d)
	near(t, "statistic", w, 1+3) // the rank of -1, and that of -3 among three
	low := 0
	for signs := range 1 << len(ranks) {
		sum := 0.0
		for i, r := range ranks {
			if signs>>i&1 == 1 {
				sum += r
			}
		}
		low += Count(sum <= w)
	}
	near(t, "p", p, 2*float64(low)/float64(int(1)<<len(ranks)))
}

// At the change to the normal approximation, it is close to the exact value, and without a
// difference nothing is significant.
func TestWilcoxonLimits(t *testing.T) {
	var ranks []float64
	for i := range maxExactRanks {
		ranks = append(ranks, float64(i+1))
	}
	exact, normal := 2*signedRankTail(ranks, 2000), signedRankNormal(ranks, 2000)
	if math.Abs(exact-normal) > 2e-4 || exact < 0.05 || exact > 0.08 {
		t.Errorf("exact %v, normal %v", exact, normal)
	}
	var many []float64
	for i := range 300 {
		many = append(many, float64(i%7)-2.5)
	}
	if _, p := Wilcoxon(many); !(p > 0 && p < 0.05) {
		t.Errorf("many differences with ties: p is %v", p)
	}
	for _, none := range [][]float64{nil, {0, 0}, {math.NaN()}} {
		if w, p := Wilcoxon(none); w != 0 || p != 1 {
			t.Errorf("%v: %v, %v", none, w, p)
		}
	}
}

// Equal values share a rank, and the correction for ties counts each group.
func TestRanks(t *testing.T) {
	ranks, ties := Ranks([]float64{10, 20, 10, 30, 10, 20})
	for i, want := range []float64{2, 4.5, 2, 6, 2, 4.5} {
		near(t, "rank", ranks[i], want)
	}
	near(t, "ties", ties, 24+6)
}
