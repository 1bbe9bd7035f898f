package coverage

import (
	"cmp"
	"math"
	"slices"

	"git-agent/agent/fix"
)

// A Score says how suspicious a line is.
type Score struct {
	Line  int
	Value float64 // from 0, exclusive, to 1
}

// OchiaiValue is the suspiciousness of a line that ef of f failing tests and ep
// passing tests execute: ef / sqrt(f * (ef + ep)), after Ochiai as Abreu et al. use it
// for faults (TAICPART 2007). It is 0 if no failing test executes the line.
func OchiaiValue(f, ef, ep int) float64 {
	if ef <= 0 || f <= 0 || ep < 0 {
		return 0
	}
	return float64(ef) / math.Sqrt(float64(f)*float64(ef+ep))
}

// Ochiai returns the suspicious lines of a spectrum by path, the most suspicious line of
// each file first and equal ones by number. Lines that no failing test executes are left
// out. Without passing tests, a line's value is only the square root of the share of
// failing tests that execute it: with one failing test all executed lines are equal.
func Ochiai(sp *fix.Spectrum) map[string][]Score {
	scores := map[string][]Score{}
	if sp == nil {
		return scores
	}
	for p, hits := range sp.Files {
		var list []Score
		for _, h := range hits {
			if v := OchiaiValue(sp.Failing, h.Failing, h.Passing); v > 0 {
				list = append(list, Score{h.Line, v})
			}
		}
		if len(list) > 0 {
			slices.SortFunc(list, func(a, b Score) int {
				return cmp.Or(cmp.Compare(b.Value, a.Value), a.Line-b.Line)
			})
			scores[p] = list
		}
	}
	return scores
}
