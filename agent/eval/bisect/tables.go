package bisecteval

import (
	"math"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// Tables returns the table of what an algorithm costs, over all cases and by language and size
// of the range, beside git bisect run on the same cases.
func (Task) Tables(res *eval.Results, algorithm string) []eval.Table {
	var all []costs
	for i, o := range res.Outcomes[algorithm] {
		row, _ := o.Row.(scoreRow)
		if !o.Evaluated || !row.answered {
			continue
		}
		k := costs{row: row, seconds: o.Seconds, strata: []string{byLanguage.Of(res.Cases[i])[0], rangeOf(row)}}
		if other := res.Outcomes[Git]; other != nil && algorithm != Git && other[i].Evaluated {
			if theirs, _ := other[i].Row.(scoreRow); theirs.answered {
				k.git = theirs.Runs
			}
		}
		all = append(all, k)
	}
	if len(all) == 0 {
		return nil
	}
	t := eval.Table{Name: "costs", Title: "runs of the command", Columns: costColumns, Note: costNote}
	t.Rows = append(t.Rows, eval.TableRow{Name: "all", Values: measureCosts(all)})
	for at := range all[0].strata {
		for _, name := range strataOf(all, at) {
			part := slices.DeleteFunc(slices.Clone(all), func(k costs) bool { return k.strata[at] != name })
			t.Rows = append(t.Rows, eval.TableRow{Name: name, Values: measureCosts(part)})
		}
	}
	return []eval.Table{t}
}

// costs are the costs of an algorithm on one case.
type costs struct {
	row     scoreRow
	seconds float64
	git     int      // runs of git bisect run; 0 if it is not measured
	strata  []string // language and size of the range
}

var costColumns = []eval.Column{
	{Name: "cases", Title: "cases"},
	{Name: "right", Title: "right", Decimals: 3},
	{Name: "median", Title: "median"},
	{Name: "runs_90", Title: "90 %"},
	{Name: "most", Title: "most"},
	{Name: "over_three", Title: "over + 3", Decimals: 3},
	{Name: "halvings", Title: "halvings", Decimals: 1},
	{Name: "ratio", Title: "of git's", Decimals: 3},
	{Name: "fewer", Title: "fewer", Decimals: 3},
	{Name: "more", Title: "more", Decimals: 3},
	{Name: "seconds", Title: "s (median)", Decimals: 1},
}

const costNote = "over + 3: share of the cases with more than three runs above the binary logarithm of the range; halvings: mean of this logarithm. " +
	"of git's: median of the runs divided by those of git on the same case; fewer, more: shares of the cases with fewer and with more runs than git. " +
	"git bisect run takes the bad commit on trust, where the other algorithms run the command, too."

// measureCosts returns the values of a row.
func measureCosts(list []costs) []stat.Estimate {
	ratio := func(k costs) (float64, bool) { return float64(k.row.Runs) / float64(max(1, k.git)), k.git > 0 }
	fewer := func(k costs) (float64, bool) { return float64(stat.Count(k.row.Runs < k.git)), k.git > 0 }
	more := func(k costs) (float64, bool) { return float64(stat.Count(k.row.Runs > k.git)), k.git > 0 }
	runs := func(k costs) (float64, bool) { return float64(k.row.Runs), true }
	return []stat.Estimate{
		{Value: stat.Defined(float64(len(list)))},
		{Value: averageOf(list, func(k costs) (float64, bool) { return float64(stat.Count(k.row.Right)), true })},
		{Value: quantileOf(list, 0.5, runs)},
		{Value: quantileOf(list, 0.9, runs)},
		{Value: quantileOf(list, 1, runs)},
		{Value: averageOf(list, func(k costs) (float64, bool) { return float64(stat.Count(k.row.over)), true })},
		{Value: averageOf(list, func(k costs) (float64, bool) { return float64(k.row.Halvings), true })},
		resampledMedian(list, ratio),
		{Value: averageOf(list, fewer)},
		{Value: averageOf(list, more)},
		{Value: quantileOf(list, 0.5, func(k costs) (float64, bool) { return k.seconds, !math.IsNaN(k.seconds) })},
	}
}

// valuesOf returns the defined values of a list.
func valuesOf(list []costs, of func(costs) (float64, bool)) (values []float64) {
	for _, k := range list {
		if x, ok := of(k); ok {
			values = append(values, x)
		}
	}
	return values
}

func averageOf(list []costs, of func(costs) (float64, bool)) *float64 {
	values, sum := valuesOf(list, of), 0.0
	for _, x := range values {
		sum += x
	}
	return stat.Defined(sum / float64(len(values)))
}

// quantileOf returns a quantile, or nil if there are no values.
func quantileOf(list []costs, q float64, of func(costs) (float64, bool)) *float64 {
	values := valuesOf(list, of)
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	return stat.Defined(stat.Quantile(values, q))
}

// resampledMedian returns the median with its interval.
func resampledMedian(list []costs, of func(costs) (float64, bool)) stat.Estimate {
	values := valuesOf(list, of)
	if len(values) == 0 {
		return stat.Estimate{}
	}
	var samples []float64
	part := make([]float64, len(values))
	stat.Resample(len(values), func(pick []int) {
		for i, at := range pick {
			part[i] = values[at]
		}
		slices.Sort(part)
		samples = append(samples, stat.Quantile(part, 0.5))
	})
	slices.Sort(values)
	return stat.Interval(stat.Quantile(values, 0.5), samples)
}

// strataOf lists the strata of a list of cases: ranges in their order, others with the largest
// first.
func strataOf(list []costs, at int) []string {
	size := map[string]int{}
	var names []string
	for _, k := range list {
		if size[k.strata[at]]++; size[k.strata[at]] == 1 {
			names = append(names, k.strata[at])
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if x, y := slices.Index(ranges, a), slices.Index(ranges, b); x != y {
			return x - y
		}
		if size[a] != size[b] {
			return size[b] - size[a]
		}
		return slices.Compare([]byte(a), []byte(b))
	})
	return names
}
