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
	Threshold float64   // least probability of a first choice that is answered
	Coverage  float64   // share of cases answered
	Values    []float64 // of the estimated metrics, over all cases
	Risk      float64   // share of the answered cases whose first choice is wrong
	sheet     *Sheet
}

// MarshalJSON writes the metrics as fields beside the others.
func (p CoveragePoint) MarshalJSON() ([]byte, error) {
	var o object
	o.field("threshold", p.Threshold)
	o.field("coverage", p.Coverage)
	for i, at := range p.sheet.estimated() {
		o.field(p.sheet.Metrics[at].Name, stat.Defined(p.Values[i]))
	}
	o.field("risk", p.Risk)
	return o.bytes()
}

// maxCurve bounds the points of a curve: what is drawn and printed needs no more.
const maxCurve = 50

// coverage walks from the surest case to the least sure one. It is empty for
// algorithms without probabilities.
func coverage(sheet *Sheet, outcomes []Outcome) []CoveragePoint {
	sure := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return len(o.Marks) == 0 })
	slices.SortStableFunc(sure, func(a, b Outcome) int { return cmp.Compare(b.Marks[0].P, a.Marks[0].P) })
	var sum Tally // of the answered cases as they are, and of the others as if nobody had answered
	for _, o := range outcomes {
		sum = sum.plus(o.Unanswered)
	}
	var curve []CoveragePoint
	wrong := 0
	for i, o := range sure {
		for j, n := range o.Tally {
			sum[j] += n - o.Unanswered[j]
		}
		wrong += stat.Count(!o.Right)
		if i+1 < len(sure) && sure[i+1].Marks[0].P == o.Marks[0].P {
			continue // equally sure cases are answered together or not at all
		}
		point := CoveragePoint{Threshold: o.Marks[0].P, Coverage: stat.Ratio(i+1, len(outcomes)), Risk: stat.Ratio(wrong, i+1), sheet: sheet}
		for _, at := range sheet.estimated() {
			point.Values = append(point.Values, sheet.Metrics[at].Of(sum, len(outcomes)))
		}
		curve = append(curve, point)
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
