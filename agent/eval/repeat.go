package eval

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/stat"
)

// repetitionMark separates the name of an algorithm from the number of its repetition: "agent#2"
// is the second answer of "agent" to each case.
const repetitionMark = "#"

// RepetitionOf splits the name of a repetition into its algorithm and its number. A name without
// a number has the number 1.
func RepetitionOf(name string) (algorithm string, number int) {
	whole, fallback := strings.CutSuffix(name, withFallback)
	algorithm, text, ok := strings.Cut(whole, repetitionMark)
	n, err := strconv.Atoi(text)
	if !ok || err != nil || n < 2 || strconv.Itoa(n) != text {
		return name, 1
	}
	if fallback {
		algorithm += withFallback
	}
	return algorithm, n
}

// Repeated returns the algorithms, with n repetitions of each one that asks a model. The other
// algorithms give the same answer each time.
func Repeated(algorithms []string, n int, asksModel func(string) bool) []string {
	var list []string
	for _, name := range algorithms {
		list = append(list, name)
		for k := 2; k <= n && asksModel(name); k++ {
			list = append(list, name+repetitionMark+strconv.Itoa(k))
		}
	}
	return list
}

// firsts returns the results of the first repetitions alone, for comparisons of algorithms.
func (res *Results) firsts() *Results {
	part := *res
	part.Algorithms = slices.DeleteFunc(slices.Clone(res.Algorithms), func(name string) bool {
		_, n := RepetitionOf(name)
		return n > 1
	})
	return &part
}

// firsts returns the algorithms without further repetitions, for tables of several algorithms.
func (r *Report) firsts() []Algorithm {
	return slices.DeleteFunc(slices.Clone(r.Algorithms), func(a Algorithm) bool {
		_, n := RepetitionOf(a.Name)
		return n > 1
	})
}

// repeats returns the table of the means and the spread of repeated runs, nil without
// repetitions.
func (r *Report) repeats() *Table {
	runs := map[string][]Row{}
	var names []string
	for _, a := range r.Algorithms {
		name, _ := RepetitionOf(a.Name)
		if runs[name] == nil {
			names = append(names, name)
		}
		runs[name] = append(runs[name], a.Overall)
	}
	t := &Table{Name: "repeats", Title: "means of repeated runs", Columns: []Column{{Name: "runs", Title: "runs"}},
		Note: "sd: standard deviation of the repetitions, which are of the same cases; it says how much chance moves a figure, and not how other cases would. Tests of differences and tables of several algorithms use the first repetition"}
	estimated := r.sheet.estimated()
	for _, i := range estimated {
		m := r.sheet.Metrics[i]
		t.Columns = append(
			t.Columns,
			Column{m.Name, m.Title, 3},
			Column{m.Name + "_sd", "sd", 3},
			Column{m.Name + "_min", "min", 3},
			Column{m.Name + "_max", "max", 3},
		)
	}
	repeated := false
	for _, name := range names {
		row := TableRow{name, []stat.Estimate{plainly(float64(len(runs[name])))}}
		for _, i := range estimated {
			row.Values = append(row.Values, spreadOf(runs[name], i)...)
		}
		t.Rows = append(t.Rows, row)
		repeated = repeated || len(runs[name]) > 1
	}
	if !repeated {
		return nil
	}
	return t
}

// plainly returns a number without an interval.
func plainly(x float64) stat.Estimate { return stat.Estimate{Value: stat.Defined(x)} }

// spreadOf returns the mean, the standard deviation, the least and the greatest value of a metric
// over repetitions. All are undefined if one of the values is. The deviation of a single value is
// also undefined.
func spreadOf(rows []Row, metric int) []stat.Estimate {
	values := make([]float64, len(rows))
	mean := 0.0
	for i, row := range rows {
		values[i] = math.NaN()
		if v := row.Values[metric].Value; v != nil {
			values[i] = *v
		}
		mean += values[i] / float64(len(rows))
	}
	square := 0.0
	for _, x := range values {
		square += (x - mean) * (x - mean)
	}
	sd := math.Sqrt(square / float64(len(rows)-1)) // NaN for one row
	return []stat.Estimate{plainly(mean), plainly(sd), plainly(slices.Min(values)), plainly(slices.Max(values))}
}
