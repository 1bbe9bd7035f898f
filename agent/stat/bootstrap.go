package stat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// How intervals are made. Reports name both numbers.
const (
	Resamples = 1000 // the 2.5 % quantile then rests on 25 of them
	Seed      = 20261120
)

// Estimate is a number with its 95 % bootstrap interval. Value is nil where
// the number is undefined (precision of no answers), Low and High also where
// fewer than two cases leave nothing to resample.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Resample calls use with the indices of each bootstrap sample of n cases. The
// samples depend on n alone, so that two methods on the same cases are measured
// on the same samples. The slice is used again for the next sample.
func Resample(n int, use func(pick []int)) {
	if n < 2 {
		return
	}
	random := rand.New(rand.NewPCG(Seed, uint64(n)))
	pick := make([]int, n)
	for range Resamples {
		for i := range pick {
			pick[i] = random.IntN(n)
		}
		use(pick)
	}
}

// Interval is the percentile interval of the samples around a value. NaN stands
// for an undefined value or sample.
func Interval(value float64, samples []float64) Estimate {
	samples = slices.DeleteFunc(samples, math.IsNaN)
	e := Estimate{Value: Defined(value)}
	if e.Value == nil || len(samples) < Resamples/2 {
		return e
	}
	slices.Sort(samples)
	e.Low, e.High = Defined(Quantile(samples, 0.025)), Defined(Quantile(samples, 0.975))
	return e
}

// Difference is the interval of a difference, and the two-sided bootstrap
// p-value of no difference, which cannot be smaller than 1/1000.
func Difference(value float64, samples []float64) (Estimate, float64) {
	if len(samples) == 0 {
		return Interval(value, nil), 1
	}
	above, below := 0, 0
	for _, d := range samples {
		above += Count(d >= 0)
		below += Count(d <= 0)
	}
	p := 2 * float64(max(1, min(above, below))) / float64(len(samples))
	return Interval(value, samples), min(1, p)
}

// Quantile interpolates between order statistics.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Ratio is a/b, and NaN where b is 0.
func Ratio(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// Defined is nil for what JSON cannot say.
func Defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// String is "0.436 [.401, .470]", without the interval where there is none.
func (e Estimate) String() string { return e.format("%.3f") }

// Signed is String with the sign of the value.
func (e Estimate) Signed() string { return e.format("%+.3f") }

func (e Estimate) format(number string) string {
	if e.Value == nil {
		return "-"
	}
	if e.Low == nil || e.High == nil {
		return fmt.Sprintf(number, *e.Value)
	}
	// Without the zeros before the point a table of three intervals is ten
	// columns narrower, and nothing is lost.
	bare := func(x float64) string { return strings.Replace(fmt.Sprintf(number, x), "0.", ".", 1) }
	return fmt.Sprintf(number+" [%s, %s]", *e.Value, bare(*e.Low), bare(*e.High))
}
