package eval

import (
	"cmp"
	"slices"

	"git-agent/agent/stat"
)

// calibrate measures how well probabilities match results. It returns nil for an
// algorithm that gives no probabilities.
func calibrate(outcomes []Outcome) *stat.Calibration {
	cases := make([][]stat.Forecast, len(outcomes))
	for i, o := range outcomes {
		cases[i] = o.Forecasts
	}
	return stat.NewCalibration(cases)
}

// CoveragePoint says how good the answers are if only the surest cases are
// answered.
type CoveragePoint struct {
	Threshold float64   // a case is answered if the probability of its first choice is at least this
	Coverage  float64   // share of the cases that are answered
	Values    []float64 // the estimated metrics, computed over all cases
	Risk      float64   // share of the answered cases whose first choice is wrong
	sheet     *Sheet
}

// MarshalJSON writes each metric as a field of its own.
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

// maxCurvePoints is the largest number of points of a curve. Plots and tables need no
// more.
const maxCurvePoints = 50

// coverage returns the coverage curve, from the surest case to the least sure. It
// returns nil for algorithms that give no probabilities.
func coverage(sheet *Sheet, outcomes []Outcome) []CoveragePoint {
	sure := slices.DeleteFunc(slices.Clone(outcomes), func(o Outcome) bool { return len(o.Forecasts) == 0 })
	slices.SortStableFunc(sure, func(a, b Outcome) int { return cmp.Compare(b.Forecasts[0].P, a.Forecasts[0].P) })
	var sum Tally // adds up the answered cases, and the others as if they had an empty answer
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
		if i+1 < len(sure) && sure[i+1].Forecasts[0].P == o.Forecasts[0].P {
			continue // equally sure cases are answered all or none
		}
		point := CoveragePoint{Threshold: o.Forecasts[0].P, Coverage: stat.Ratio(i+1, len(outcomes)), Risk: stat.Ratio(wrong, i+1), sheet: sheet}
		for _, at := range sheet.estimated() {
			point.Values = append(point.Values, sheet.Metrics[at].Of(sum, len(outcomes)))
		}
		curve = append(curve, point)
	}
	return thin(curve)
}

// thin reduces a curve to maxCurvePoints evenly spaced points and keeps the last point.
func thin(curve []CoveragePoint) []CoveragePoint {
	if len(curve) <= maxCurvePoints {
		return curve
	}
	kept := make([]CoveragePoint, maxCurvePoints)
	for i := range kept {
		kept[i] = curve[(i+1)*len(curve)/maxCurvePoints-1]
	}
	return kept
}
