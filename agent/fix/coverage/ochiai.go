package coverage

import "math"

// Ochiai is the suspiciousness of a line that ef of f failing tests and ep
// passing tests execute: ef / sqrt(f * (ef + ep)), after Ochiai as Abreu et al. use it
// for faults (TAICPART 2007). It is 0 if no failing test executes the line.
func Ochiai(f, ef, ep int) float64 {
	if ef <= 0 || f <= 0 || ep < 0 {
		return 0
	}
	return float64(ef) / math.Sqrt(float64(f)*float64(ef+ep))
}
