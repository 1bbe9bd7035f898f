package eval

import (
	"cmp"
	"slices"

	"git-agent/agent/stat"
)

// calibrate measures how well probabilities match results. It returns nil for an algorithm
// without probabilities.
func calibrate(outcomes []Outcome) *stat.Calibration {
	cases := make([][]stat.Forecast, len(outcomes))
	for i, o := range outcomes {
		cases[i] = o.Forecasts
	}
	return stat.NewCalibration(cases)
}

// CoveragePoint measures the answers if only the surest cases are answered.
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

// maxCurvePoints is the largest number of points of a curve, enough for plots and tables.
const maxCurvePoints = 50

// coverage returns the coverage curve, from the surest case to the least sure. It returns nil for
// algorithms without probabilities.
func coverage(sheet *Sheet, outcomes []Outcome) []CoveragePoint {
	var sure []int // indices of the outcomes
	var sum Tally  // sum of the answered cases, and of the others with an empty answer
	for i, o := range outcomes {
		if len(o.Forecasts) > 0 {
			sure = append(sure, i)
		}
		sum = sum.plus(o.Unanswered)
	}
	p := func(at int) float64 { return outcomes[sure[at]].Forecasts[0].P }
	slices.SortFunc(sure, func(a, b int) int {
		return cmp.Or(cmp.Compare(outcomes[b].Forecasts[0].P, outcomes[a].Forecasts[0].P), cmp.Compare(a, b))
	})
	var ends []int // the curve has a point where the next case is less sure
	for i := range sure {
		if i+1 == len(sure) || p(i+1) != p(i) { // equally sure cases are answered all or none
			ends = append(ends, i+1)
		}
	}
	var curve []CoveragePoint
	answered, wrong := 0, 0
	for _, end := range thin(ends) {
		for ; answered < end; answered++ {
			o := outcomes[sure[answered]]
			for j, n := range o.Tally {
				sum[j] += n - o.Unanswered[j]
			}
			wrong += stat.Count(!o.Right)
		}
		point := CoveragePoint{Threshold: p(end - 1), Coverage: stat.Ratio(end, len(outcomes)), Risk: stat.Ratio(wrong, end), sheet: sheet}
		for _, at := range sheet.estimated() {
			point.Values = append(point.Values, sheet.Metrics[at].Of(sum, len(outcomes)))
		}
		curve = append(curve, point)
	}
	return curve
}

// thin reduces the ends of a curve's points to maxCurvePoints evenly spaced ones. It keeps the
// last one.
func thin(ends []int) []int {
	if len(ends) <= maxCurvePoints {
		return ends
	}
	kept := make([]int, maxCurvePoints)
	for i := range kept {
		kept[i] = ends[(i+1)*len(ends)/maxCurvePoints-1]
	}
	return kept
}
