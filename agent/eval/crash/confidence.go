package crasheval

import (
	"math"
	"slices"

	"git-agent/agent/crash/investigate"
	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// sure is a case whose runs name a file, with the confidence in the first file.
type sure struct {
	voted
	confidence float64
	right      bool
}

// sureOf returns the cases whose runs name a file.
func (b box) sureOf() []sure {
	var list []sure
	for _, v := range b {
		if order, confidence := investigate.Elect(v.ballots); len(order) > 0 {
			list = append(list, sure{v, confidence, slices.Contains(v.truth, order[0])})
		}
	}
	return list
}

// buckets are the confidence intervals of AutoCrashFL, figure 7, each up to high.
var buckets = []struct {
	name string
	high float64
}{{"low, up to .33", 0.33}, {"medium, up to .66", 0.66}, {"high", 1}}

// confidence returns tables of how often the first file is right by the confidence of the vote,
// and of how well the confidence predicts this (AutoCrashFL, section 5.3).
func (b box) confidence() []eval.Table {
	list := b.sureOf()
	if len(list) == 0 {
		return nil
	}
	t := eval.Table{
		Name:    "confidence",
		Title:   "confidence of the vote",
		Columns: []eval.Column{{Name: "cases", Title: "cases"}, {Name: "right", Title: "first file right", Decimals: 3}},
	}
	low := 0.0
	for _, bucket := range buckets {
		var rows []eval.Tally
		for _, s := range list {
			if s.confidence > low && s.confidence <= bucket.high+1e-9 {
				rows = append(rows, eval.Tally{float64(stat.Count(s.right))})
			}
		}
		values := append([]stat.Estimate{{Value: stat.Defined(float64(len(rows)))}}, eval.Means(rows)...)
		if len(rows) == 0 {
			values = append(values, stat.Estimate{})
		}
		t.Rows = append(t.Rows, eval.TableRow{Name: bucket.name, Values: values})
		low = bucket.high + 1e-9
	}
	t.Note = "confidence: the score of the first file divided by the number of runs with an answer"
	return []eval.Table{t, foretold(list)}
}

// foretold returns a table of how well the confidence and the stated probability predict whether
// the first file is right.
func foretold(list []sure) eval.Table {
	t := eval.Table{
		Name:    "foretold",
		Title:   "how well it is foretold that the first file is right",
		Columns: []eval.Column{{Name: "value", Title: "value", Decimals: 3}},
	}
	add := func(name string, e stat.Estimate) {
		t.Rows = append(t.Rows, eval.TableRow{Name: name, Values: []stat.Estimate{e}})
	}
	add("correlation of the confidence", resampled(list, correlation))
	add("Brier score of the base rate", resampled(list, func(l []sure) float64 {
		rate := rightShare(l)
		return rate * (1 - rate)
	}))
	add("Brier score of the confidence", resampled(list, brierOf(func(s sure) float64 { return s.confidence })))
	add("the same, scaled on other folds", stat.Estimate{Value: stat.Defined(scaledBrier(list))})
	add("Brier score of the probability", resampled(list, brierOf(func(s sure) float64 { return s.stated })))
	t.Note = "point-biserial correlation; a Brier score is the mean squared difference from 1 or 0, and lower is better"
	return t
}

// resampled returns the statistic of a list of cases, with its interval.
func resampled(list []sure, of func([]sure) float64) stat.Estimate {
	var samples []float64
	part := make([]sure, len(list))
	stat.Resample(len(list), func(pick []int) {
		for i, at := range pick {
			part[i] = list[at]
		}
		samples = append(samples, of(part))
	})
	return stat.Interval(of(list), samples)
}

func rightShare(list []sure) float64 {
	n := 0
	for _, s := range list {
		n += stat.Count(s.right)
	}
	return float64(n) / float64(len(list))
}

// brierOf returns the function that computes the Brier score of a probability.
func brierOf(p func(sure) float64) func([]sure) float64 {
	return func(list []sure) float64 {
		sum := 0.0
		for _, s := range list {
			d := p(s) - float64(stat.Count(s.right))
			sum += d * d
		}
		return sum / float64(len(list))
	}
}

// scaledBrier returns the Brier score of the confidence after Platt's scaling, fitted to the
// other folds. The folds consist of whole repositories.
func scaledBrier(list []sure) float64 {
	votes, repos := make([]stat.Voted, len(list)), make([]string, len(list))
	for i, s := range list {
		votes[i], repos[i] = stat.Voted{Raw: s.confidence, Agreement: 1, Right: s.right}, s.repo
	}
	if slices.Min(repos) == slices.Max(repos) {
		return math.NaN() // there are no folds
	}
	return stat.CrossValidate(votes, repos).After.Brier
}

// correlation returns the point-biserial (Pearson) correlation between the confidence and whether
// the first file is right. It is NaN if one of them does not vary.
func correlation(list []sure) float64 {
	var x, y, xx, yy, xy float64
	for _, s := range list {
		r := float64(stat.Count(s.right))
		x, y = x+s.confidence, y+r
		xx, yy, xy = xx+s.confidence*s.confidence, yy+r*r, xy+s.confidence*r
	}
	n := float64(len(list))
	spread := (xx - x*x/n) * (yy - y*y/n)
	if spread <= 1e-12 {
		return math.NaN()
	}
	return (xy - x*y/n) / math.Sqrt(spread)
}
