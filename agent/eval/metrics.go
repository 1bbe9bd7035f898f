package eval

import (
	"strconv"

	"git-agent/agent/stat"
)

// Row holds the metrics of one algorithm on one set of cases.
type Row struct {
	Name    string
	Cases   int // evaluated cases, failures included
	Failed  int
	Empty   int             // empty answers, including failures
	Asked   int             // predictions for which a model was asked
	Fell    int             // of these, predictions that the offline engine answered instead
	Values  []stat.Estimate // one for each metric of the sheet
	Seconds float64         // mean per case; NaN if not known
	sheet   *Sheet
}

// Value returns the value of the first metric with this name.
func (r Row) Value(name string) stat.Estimate { return r.Values[r.sheet.at(name)] }

// fallbacks formats the number of answers by the offline engine instead of a model. It is "-" if
// no model was asked.
func (r Row) fallbacks() string {
	if r.Asked == 0 {
		return "-"
	}
	return strconv.Itoa(r.Fell)
}

// MarshalJSON writes each metric as a field of its own.
func (r Row) MarshalJSON() ([]byte, error) {
	var o object
	o.field("name", r.Name)
	o.field("cases", r.Cases)
	o.field("failed", r.Failed)
	o.field("empty", r.Empty)
	if r.Asked > 0 {
		o.field("fallback", r.Fell)
	}
	for i, m := range r.sheet.Metrics {
		switch {
		case m.Name == "":
		case i > 0 && r.sheet.Metrics[i-1].Name == m.Name: // already written as part of a list
		case m.Estimated:
			o.field(m.Name, r.Values[i])
		default:
			o.field(m.Name, r.valueOrList(i))
		}
	}
	o.field("mean_seconds", stat.Defined(r.Seconds))
	return o.bytes()
}

// valueOrList returns the value of a metric. If the metrics after it have the same
// name, it returns the list of their values.
func (r Row) valueOrList(i int) any {
	var list []*float64
	for j := i; j < len(r.Values) && r.sheet.Metrics[j].Name == r.sheet.Metrics[i].Name; j++ {
		list = append(list, r.Values[j].Value)
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// measure computes the row of a set of outcomes. The outcomes must be of evaluated
// cases and sorted by case.
func measure(sheet *Sheet, name string, outcomes []Outcome) Row {
	row := Row{Name: name, Cases: len(outcomes), sheet: sheet}
	var all Tally
	tallies := make([]Tally, len(outcomes))
	for i, o := range outcomes {
		tallies[i] = o.Tally
		all = all.plus(o.Tally)
		row.Seconds += o.Seconds
		row.Failed += stat.Count(o.Failed)
		row.Empty += stat.Count(o.Empty)
		row.Asked += stat.Count(o.Work != nil)
		row.Fell += stat.Count(o.Work.Fell())
	}
	row.Seconds /= float64(max(1, len(outcomes)))
	samples, estimated := make([][]float64, len(sheet.Metrics)), sheet.estimated()
	stat.ResampleSums(tallies, func(sum Tally) {
		for _, i := range estimated {
			samples[i] = append(samples[i], sheet.Metrics[i].Of(sum, len(outcomes)))
		}
	})
	for i, m := range sheet.Metrics {
		row.Values = append(row.Values, stat.Interval(m.Of(all, len(outcomes)), samples[i]))
	}
	return row
}
