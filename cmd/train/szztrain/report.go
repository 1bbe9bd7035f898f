package szztrain

import (
	"fmt"
	"math"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz/rank"
)

// A reporter prints the figures for subsets of the rows.
type reporter struct {
	rows, others []rank.Example
	runs         []validation
	against      []validation // the same for the rows of -against; empty without it
}

// print prints the figures for the rows that keep accepts, together and by style of
// label.
func (r *reporter) print(name string, keep func(rank.Example) bool) {
	for _, style := range []string{"", "trailer", "prose"} {
		var part []int
		for i, ex := range r.rows {
			if keep(ex) && (style == "" || ex.Style == style) {
				part = append(part, i)
			}
		}
		if len(part) == 0 {
			continue
		}
		head := fmt.Sprintf("%-20s %-7s", name, style)
		first, list := talliesOfRuns(r.rows, r.runs, part, true), talliesOfRuns(r.rows, r.runs, part, false)
		fmt.Printf("%s first only %v\n%s short list %v\n", head, spreadOf(first), head, spreadOf(list))
		if c := stat.NewCalibration(namedForecasts(list[0])); c != nil {
			fmt.Printf("%s ECE named  %v; were every probability right: %.3f on average, at most %.3f in 95 %%\n",
				head, c.ECE, c.ByChance.Mean, c.ByChance.High)
		}
		if len(r.against) > 0 {
			fmt.Printf("%s difference, first only %s\n", head, differences(first, talliesOfRuns(r.others, r.against, part, true)))
			fmt.Printf("%s difference, short list %s\n", head, differences(list, talliesOfRuns(r.others, r.against, part, false)))
		}
	}
}

// talliesOfRuns returns, for each run, the contributions of some cases to the figures.
func talliesOfRuns(rows []rank.Example, runs []validation, part []int, first bool) [][]tally {
	lists := make([][]tally, len(runs))
	for n, v := range runs {
		from := v.from
		if first {
			from = firstOnly
		}
		for _, i := range part {
			lists[n] = append(lists[n], tallyOf(rows[i], v.ps[i], from))
		}
	}
	return lists
}

// A spread has the figures of several runs.
type spread []figures

func spreadOf(runs [][]tally) spread {
	var s spread
	for _, cases := range runs {
		s = append(s, figuresOf(cases))
	}
	return s
}

// mean returns the mean of each figure and its standard deviation.
func (s spread) mean() (means, deviations []figure) {
	means, deviations = figures{}.list(), figures{}.list()
	for i := range means {
		sum, squares := 0.0, 0.0
		for _, f := range s {
			sum += f.list()[i].value
		}
		means[i].value = sum / float64(len(s))
		for _, f := range s {
			squares += math.Pow(f.list()[i].value-means[i].value, 2)
		}
		deviations[i].value = math.Sqrt(squares / float64(max(1, len(s)-1)))
	}
	return means, deviations
}

// String prints the figures of one run, or the mean and standard deviation of several.
func (s spread) String() string {
	if len(s) == 1 {
		return s[0].String()
	}
	means, deviations := s.mean()
	var b strings.Builder
	for i, x := range means {
		fmt.Fprintf(&b, "%s %.3f ±%.3f ", x.name, x.value, deviations[i].value)
	}
	return b.String() + fmt.Sprintf("(%d cases, %d runs)", s[0].Cases, len(s))
}

// differences prints the difference between two methods in the mean of each figure over the runs,
// with the 95 % interval from resampling the cases.
func differences(ours, theirs [][]tally) string {
	values := meanDifference(ours, theirs)
	samples := make([][]float64, len(values))
	stat.Resample(len(ours[0]), func(pick []int) {
		for i, d := range meanDifference(picked(ours, pick), picked(theirs, pick)) {
			samples[i] = append(samples[i], d.value)
		}
	})
	var b strings.Builder
	for i, d := range values {
		fmt.Fprintf(&b, "%s %s ", d.name, stat.Interval(d.value, samples[i]).Signed())
	}
	return b.String()
}

func picked(runs [][]tally, pick []int) [][]tally {
	lists := make([][]tally, len(runs))
	for n, cases := range runs {
		for _, i := range pick {
			lists[n] = append(lists[n], cases[i])
		}
	}
	return lists
}

func meanDifference(ours, theirs [][]tally) []figure {
	d, _ := spreadOf(ours).mean()
	other, _ := spreadOf(theirs).mean()
	for i := range d {
		d[i].value -= other[i].value
	}
	return d
}
