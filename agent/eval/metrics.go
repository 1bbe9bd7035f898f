package eval

import (
	"math"

	"git-agent/agent/stat"
)

// AccuracyAt lists the k of acc@k.
var AccuracyAt = []int{1, 3, 5}

// Row is one algorithm on one set of cases.
type Row struct {
	Name      string        `json:"name"`
	Cases     int           `json:"cases"` // evaluated ones, failures included
	Failed    int           `json:"failed"`
	Empty     int           `json:"empty"` // no suspect at all, failures included
	BICs      int           `json:"bics"`
	Answers   int           `json:"answers"` // commits in all answers
	Right     int           `json:"right"`   // answers that are true
	Found     int           `json:"found"`   // BICs that an answer holds
	Precision stat.Estimate `json:"precision"`
	Recall    stat.Estimate `json:"recall"`
	F1        stat.Estimate `json:"f1"`
	// Accuracy[i] is the share of cases with a true commit among the first
	// AccuracyAt[i] of the ranking, or of the answer where there is no ranking.
	Accuracy []float64 `json:"acc_at_1_3_5"`
	// Ceiling is the recall of a perfect choice among the candidates;
	// CeilingCases the share of cases with a true commit among them.
	Ceiling      float64 `json:"ceiling"`
	CeilingCases float64 `json:"ceiling_cases"`
	Candidates   float64 `json:"mean_candidates"`
	Seconds      float64 `json:"mean_seconds"`
}

// tally is what micro averages are made of.
type tally struct{ answers, right, bics, found int }

func (t *tally) add(o Outcome) {
	t.answers += o.Answered
	t.right += o.Right
	t.bics += o.Truths
	t.found += o.Found
}

func (t *tally) join(u tally) {
	t.answers += u.answers
	t.right += u.right
	t.bics += u.bics
	t.found += u.found
}

// precision counts a twin of a BIC as right; recall counts each BIC once, so
// that an answer with a BIC and its twin does not find two.
func (t tally) precision() float64 { return stat.Ratio(t.right, t.answers) }
func (t tally) recall() float64    { return stat.Ratio(t.found, t.bics) }

func (t tally) f1() float64 {
	p, r := t.precision(), t.recall()
	if math.IsNaN(p) || p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// measure makes the row of a set of outcomes. The caller passes only outcomes
// of evaluated cases, sorted by case.
func measure(name string, outcomes []Outcome) Row {
	row := Row{Name: name, Cases: len(outcomes), Accuracy: make([]float64, len(AccuracyAt))}
	var all tally
	reachable, pooled := 0, 0
	for _, o := range outcomes {
		all.add(o)
		reachable += o.Reachable
		row.Candidates += float64(o.Pool)
		row.Seconds += o.Seconds
		pooled += stat.Count(o.Reachable > 0)
		row.Failed += stat.Count(o.Failed)
		row.Empty += stat.Count(o.Answered == 0)
		for i, k := range AccuracyAt {
			row.Accuracy[i] += float64(stat.Count(o.Rank > 0 && o.Rank <= k))
		}
	}
	row.BICs, row.Answers, row.Right, row.Found = all.bics, all.answers, all.right, all.found
	if n := float64(len(outcomes)); n > 0 {
		row.Candidates /= n
		row.Seconds /= n
		row.CeilingCases = float64(pooled) / n
		for i := range row.Accuracy {
			row.Accuracy[i] /= n
		}
	}
	if all.bics > 0 {
		row.Ceiling = stat.Ratio(reachable, all.bics)
	}
	row.Precision, row.Recall, row.F1 = estimates(outcomes, all)
	return row
}

// estimates resamples the cases with replacement.
func estimates(outcomes []Outcome, all tally) (p, r, f stat.Estimate) {
	// An Outcome is ten times the size of its counts: on 20,000 cases the
	// resampling would wait for memory.
	counts := make([]tally, len(outcomes))
	for i, o := range outcomes {
		counts[i].add(o)
	}
	var ps, rs, fs []float64
	stat.Resample(len(outcomes), func(pick []int) {
		var t tally
		for _, i := range pick {
			t.join(counts[i])
		}
		ps, rs, fs = append(ps, t.precision()), append(rs, t.recall()), append(fs, t.f1())
	})
	return stat.Interval(all.precision(), ps), stat.Interval(all.recall(), rs), stat.Interval(all.f1(), fs)
}
