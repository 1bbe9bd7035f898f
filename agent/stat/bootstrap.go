package stat

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Resamples and Seed determine every interval. Reports print both.
const (
	Resamples = 1000 // with this many, 25 samples lie below the 2.5 % quantile
	Seed      = 20261120
)

// Estimate is a number with its 95 % bootstrap interval. Value is nil if the number
// is undefined, like the precision of no answers. Low and High are also nil if
// there are fewer than two cases, which cannot be resampled.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
}

// Resample calls use with the indices of each bootstrap sample of n cases. The
// samples depend only on n, so two methods on the same cases are measured on the
// same samples. The slice is valid only until use returns.
func Resample(n int, use func(pick []int)) {
	if n < 2 {
		return
	}
	d := newDraws(n)
	pick := make([]int, 0, n)
	for range Resamples {
		pick = pick[:0]
		for some := range d.sample() {
			for _, i := range some {
				pick = append(pick, int(i))
			}
		}
		use(pick)
	}
}

// Interval returns value with the percentile interval of the samples. NaN marks an undefined
// value or sample.
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

// Difference returns a difference with its interval, and the two-sided bootstrap
// p-value for no difference. The p-value is at least 2/Resamples.
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

// Quantile returns the q-quantile of a sorted list. It interpolates between
// neighbouring values.
func Quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}

// Ratio returns a/b, or NaN if b is 0.
func Ratio(a, b int) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// Defined returns a pointer to x, or nil for NaN and infinities, which JSON cannot
// represent.
func Defined(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// String formats the estimate as "0.436 [.401, .470]", or as "0.436" if it has no
// interval.
func (e Estimate) String() string { return e.format("%.3f") }

// Signed is like String but always prints the sign.
func (e Estimate) Signed() string { return e.format("%+.3f") }

func (e Estimate) format(number string) string {
	if e.Value == nil {
		return "-"
	}
	if e.Low == nil || e.High == nil {
		return fmt.Sprintf(number, *e.Value)
	}
	// The interval is printed without the zero before the point, which makes a
	// table of three intervals about ten columns narrower.
	bare := func(x float64) string {
		text := fmt.Sprintf(number, x)
		if math.Abs(x) < 1 {
			text = strings.Replace(text, "0.", ".", 1)
		}
		return text
	}
	return fmt.Sprintf(number+" [%s, %s]", *e.Value, bare(*e.Low), bare(*e.High))
}
