package eval

import (
	"cmp"
	"slices"

	"git-agent/agent/stat"
)

// calibrate returns nil where the algorithm gives no probabilities.
func calibrate(outcomes []Outcome) *stat.Calibration {
	cases := make([][]stat.Mark, len(outcomes))
	for i, o := range outcomes {
		cases[i] = o.Marks
	}
	return stat.NewCalibration(cases)
}

// CoveragePoint is what answering only the surest cases gives.
type CoveragePoint struct {
	Threshold float64 `json:"threshold"` // least probability of a first suspect that is answered
	Coverage  float64 `json:"coverage"`  // share of cases answered
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"` // over the BICs of all cases
	F1        float64 `json:"f1"`
	Risk      float64 `json:"risk"` // share of the answered cases whose first suspect is wrong
}

// maxCurve bounds the points of a curve: what is drawn and printed needs no more.
const maxCurve = 50

// coverage walks from the surest case to the least sure one. It is empty for
// algorithms without probabilities.
func coverage(outcomes []Outcome) []CoveragePoint {
	sure := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return len(o.Marks) == 0 })
	slices.SortStableFunc(sure, func(a, b Outcome) int { return cmp.Compare(b.Marks[0].P, a.Marks[0].P) })
	bics := 0
	for _, o := range outcomes {
		bics += o.Truths
	}
	var curve []CoveragePoint
	var t tally
	wrong := 0
	for i, o := range sure {
		t.add(o)
		wrong += stat.Count(!o.Top)
		if i+1 < len(sure) && sure[i+1].Marks[0].P == o.Marks[0].P {
			continue // equally sure cases are answered together or not at all
		}
		whole := tally{answers: t.answers, right: t.right, bics: bics, found: t.found}
		curve = append(curve, CoveragePoint{
			Threshold: o.Marks[0].P, Coverage: stat.Ratio(i+1, len(outcomes)),
			Precision: whole.precision(), Recall: whole.recall(), F1: whole.f1(), Risk: stat.Ratio(wrong, i+1),
		})
	}
	return thin(curve)
}

// thin keeps evenly spaced points, the last among them.
func thin(curve []CoveragePoint) []CoveragePoint {
	if len(curve) <= maxCurve {
		return curve
	}
	kept := make([]CoveragePoint, maxCurve)
	for i := range kept {
		kept[i] = curve[(i+1)*len(curve)/maxCurve-1]
	}
	return kept
}
