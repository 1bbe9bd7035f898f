// Package bisecteval measures the search of agent/bisect, and git bisect run beside it. It is a
// task of agent/eval whose cases are regressions with a command that fails, the commit at which
// it fails, and the commits that made it fail.
//
// A case counts as right if the search proves that one of these commits is the first with the
// failure. The costs are the runs of the command, which include those at the bad commit and
// those of a proof.
//
// With [Options].Simulate, the command runs only at the bad commit, and the known culprit says
// what it would do elsewhere. This measures the choice of commits on long ranges, and with wrong
// outcomes, without running the command thousands of times. It does not measure commits at which
// the command cannot be judged.
package bisecteval

import (
	"math"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// Task is the task of finding the commit since which a command fails.
type Task struct{}

// Name returns the task's name in reports and in traces.db.
func (Task) Name() string { return "bisect" }

// The algorithms.
const (
	Bayes   = "bayes"   // the search as git agent bisect makes it
	Uniform = "uniform" // the search, with all commits equally probable at first
	NoGood  = "nogood"  // the search as git agent bisect makes it, without a good commit
	Git     = "git"     // git bisect run
)

// Algorithms lists all algorithms.
var Algorithms = []string{Bayes, Uniform, NoGood, Git}

// mostCounted is the largest number of runs that is counted apart from larger ones.
const mostCounted = 200

// These are the indices of a tally's numbers.
const (
	right    = iota // cases with a right answer
	proved          // cases with a proof
	over            // cases with more runs than halving takes, and three
	answered        // cases with an answer; the numbers below count only these
	runs            // sum of the runs
	halvings        // sum of the runs that halving the range takes
	runsAt          // runsAt+n counts cases with n runs
	width    = runsAt + mostCounted + 1
)

// Sheet defines what a report shows.
func (Task) Sheet() *eval.Sheet { return sheet }

var sheet = &eval.Sheet{
	Metrics: []eval.Metric{
		{Name: "right", Title: "right", Of: eval.Mean(right), Estimated: true, Brief: true},
		{Name: "proved", Title: "proved", Of: eval.Mean(proved), Brief: true, Decimals: 3},
		{Name: "median_runs", Title: "runs", Of: quantile(0.5), Estimated: true, Brief: true},
		{Name: "runs_90", Title: "90 %", Of: quantile(0.9), Brief: true},
		{Name: "most_runs", Title: "most", Of: quantile(1), Brief: true},
		{Name: "mean_runs", Of: eval.Share(runs, answered)},
		{Name: "mean_halvings", Title: "halvings", Of: eval.Share(halvings, answered), Brief: true, Decimals: 1},
		{Name: "over_three", Title: "over + 3", Of: eval.Share(over, answered), Brief: true, Decimals: 3},
	},
	Main: "right", Small: "median_runs", Ceiling: "proved",
	Dimensions: dimensions,
	Wanted:     "commits since which a command fails", Asked: "regression", Named: "commit", Truth: "culprits",
	Right: "the search proves that a known culprit is the first commit at which the command fails",
	Notes: "proved: share of the cases whose search ends with a proof; git bisect proves what it names. " +
		"runs: median of the runs of the command; 90 %: the number that nine in ten cases do not exceed; most: the largest number. " +
		"halvings: mean of the binary logarithm of the range, rounded up. over + 3: share of the cases with more than three runs above it.",
	Bounded: "the search ends with a proof",
}

// quantile returns the metric that is the least number of runs that a share of the cases does not
// exceed.
func quantile(share float64) func(eval.Tally, int) float64 {
	return func(t eval.Tally, _ int) float64 {
		if t.At(answered) == 0 {
			return math.NaN()
		}
		seen := 0.0
		for n, count := range t[runsAt:] {
			if seen += count; count > 0 && seen >= share*t[answered]-1e-9 {
				return float64(n)
			}
		}
		return mostCounted
	}
}

// tally returns the tally of a prediction.
func (p *Prediction) tally(isRight bool) eval.Tally {
	t := make(eval.Tally, width)
	t[right], t[proved] = float64(stat.Count(isRight)), float64(stat.Count(p.Proved))
	t[over] = float64(stat.Count(p.overThree()))
	t[answered], t[runs], t[halvings] = 1, float64(p.Runs), float64(p.Halvings)
	t[runsAt+min(p.Runs, mostCounted)] = 1
	return t
}

// CalibratedOn returns "": the probabilities are those of the search.
func (Task) CalibratedOn(*eval.Results) string { return "" }
