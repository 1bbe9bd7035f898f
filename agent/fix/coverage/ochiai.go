package coverage

import (
	"math"

	"git-agent/agent/fix"
)

// Ochiai is the suspiciousness of a line that ef of f failing tests and ep
// passing tests execute: ef / sqrt(f * (ef + ep)), after Ochiai as Abreu et al. use it
// for faults (TAICPART 2007). It is 0 if no failing test executes the line.
func Ochiai(f, ef, ep int) float64 {
	if ef <= 0 || f <= 0 || ep < 0 {
		return 0
	}
	return float64(ef) / math.Sqrt(float64(f)*float64(ef+ep))
}

// Suspicions returns the suspiciousness of the lines that failing tests execute, by path and by number. It is nil if
// sp is.
func Suspicions(sp *fix.Spectrum) map[string]map[int]float64 {
	if sp == nil {
		return nil
	}
	files := map[string]map[int]float64{}
	for path, hits := range sp.Files {
		for _, h := range hits {
			s := Ochiai(sp.Failing, h.Failing, h.Passing)
			if s == 0 {
				continue
			}
			if files[path] == nil {
				files[path] = map[int]float64{}
			}
			files[path][h.Line] = s
		}
	}
	return files
}
