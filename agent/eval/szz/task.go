// Package szzeval measures the engines of agent/szz. It is a task of agent/eval
// whose cases are fixes with known bug-introducing commits (BICs).
//
// A case counts as right if the first suspect is a BIC. This rule applies both to algorithms that
// return a set (b, ag, ma) and to one that returns a short list (rank). Precision, recall and F1
// are micro averages over the commits of all cases.
//
// Answers are stored with raw probabilities. Scoring applies a calibration to them, and
// FitCalibration fits a new one.
package szzeval

import (
	"math"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz/investigate"
)

// Task is the task of finding the commits that introduced a bug, given its fix.
type Task struct {
	// Calibration is applied to the probabilities of the model it was made for;
	// nil leaves them raw.
	Calibration *investigate.Calibration
	// Fallback counts the offline engine's answers instead of a model's. Otherwise such answers
	// count as empty and wrong.
	Fallback bool
}

// Name returns the task's name in reports and in traces.db.
func (Task) Name() string { return "szz" }

// accuracyAt lists the values of k for which acc@k is reported.
var accuracyAt = [...]int{1, 3, 5}

// count holds the right and wrong parts of an answer.
type count struct {
	bics      int // distinct BICs of the case
	answers   int // distinct commits in the answer
	right     int // of these, BICs and their twins
	found     int // BICs in the answer, themselves or as a twin
	reachable int // BICs among the candidates
	pool      int // distinct candidates
	rank      int // 1-based position of the first true commit; 0 if there is none
}

// These are the indices of a count's fields in a tally.
const (
	bics = iota
	answers
	right
	found
	reachable
	pooled // cases with a true commit among the candidates
	pool
	firstAt // firstAt+i counts cases with a true commit among the first accuracyAt[i]
)

func (n count) tally() eval.Tally {
	t := eval.Tally{bics: float64(n.bics), answers: float64(n.answers), right: float64(n.right), found: float64(n.found),
		reachable: float64(n.reachable), pooled: float64(stat.Count(n.reachable > 0)), pool: float64(n.pool)}
	for _, k := range accuracyAt {
		t = append(t, float64(stat.Count(n.rank > 0 && n.rank <= k)))
	}
	return t
}

// total returns the metric that sums a number of the tally over the cases.
func total(at int) func(eval.Tally, int) float64 {
	return func(t eval.Tally, _ int) float64 { return t.At(at) }
}

// Sheet defines what a report shows.
func (Task) Sheet() *eval.Sheet { return sheet }

var sheet = &eval.Sheet{
	Metrics: []eval.Metric{
		{Name: "bics", Of: total(bics)},
		{Name: "answers", Of: total(answers)}, // number of commits in all answers
		{Name: "right", Of: total(right)},     // number of true commits among these
		{Name: "found", Of: total(found)},     // number of BICs in the answers
		{Name: "precision", Title: "precision", Of: precision, Estimated: true, Brief: true, Decimals: 3},
		{Name: "recall", Title: "recall", Of: recall, Estimated: true, Brief: true, Decimals: 3},
		{Name: "f1", Title: "F1", Of: f1, Estimated: true, Brief: true, Decimals: 3},
		{Name: "acc_at_1_3_5", Title: "acc@1", Of: eval.Mean(firstAt), Brief: true, Decimals: 3},
		{Name: "acc_at_1_3_5", Title: "acc@3", Of: eval.Mean(firstAt + 1), Decimals: 3},
		{Name: "acc_at_1_3_5", Title: "acc@5", Of: eval.Mean(firstAt + 2), Decimals: 3},
		{Name: "ceiling", Title: "ceiling", Of: ceilingOf, Brief: true, Decimals: 3},
		{Name: "ceiling_cases", Of: eval.Mean(pooled)},
		{Name: "mean_candidates", Of: eval.Mean(pool)},
		{Title: "size", Of: eval.Mean(answers), Decimals: 2},
	},
	Main: "f1", Small: "recall", Ceiling: "ceiling",
	Dimensions: dimensions,
	Wanted:     "bug-introducing commits", Truth: "bug-introducing commits", Annotated: true, Asked: "fix", Named: "suspect",
	Right: "the first suspect is true",
	Notes: "size: mean number of commits in an answer. A case counts for acc@k when a true commit is among the first k of the ranking, " +
		"or of the answer where there is none.",
	Bounded: "recall of a perfect choice among the candidates",
}

// precision counts a twin of a BIC as right. recall counts each BIC once, so an
// answer that names a BIC and its twin finds only one.
var (
	precision = eval.Share(right, answers)
	recall    = eval.Share(found, bics)
)

func f1(t eval.Tally, _ int) float64 {
	p, r := precision(t, 0), recall(t, 0)
	if math.IsNaN(p) || p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// ceilingOf returns the recall of a perfect choice among the candidates.
func ceilingOf(t eval.Tally, _ int) float64 {
	if t.At(bics) == 0 {
		return 0
	}
	return t[reachable] / t[bics]
}
