// Package crasheval measures the engine of agent/crash. It is a task of agent/eval whose cases
// are crash reports with the files that the fix of the crash changes.
//
// A case counts as right if the fix changes the first file of the answer. acc@k is the share of
// the cases with at least one file of the fix among the first k files, as in AutoCrashFL. Metrics
// of suspect commits cover only the cases with known crash-introducing commits.
package crasheval

import (
	"git-agent/agent/eval"
	"git-agent/agent/session"
	"git-agent/agent/stat"
)

// Task is the task of finding the files and the commits behind a crash.
type Task struct {
	// Calibration is applied to the probabilities of the model it was made for; nil leaves them
	// unchanged.
	Calibration *session.Calibration
	// Fallback counts the offline engine's answers instead of a model's. Otherwise such answers
	// count as empty and wrong.
	Fallback bool
}

// Name returns the task's name in reports and in traces.db.
func (Task) Name() string { return "crash" }

// filesAt and suspectsAt list the values of k for which acc@k is reported.
var (
	filesAt    = [...]int{1, 2, 3, 5, 10}
	suspectsAt = [...]int{1, 3, 5, 10}
)

// MostSuspects is the number of suspects that an answer needs for all metrics.
const MostSuspects = 10

// count holds the right and wrong parts of an answer.
type count struct {
	rank        int  // 1-based place of the first true file; 0 if there is none
	listed      int  // files in the answer
	traced      int  // files in the answer that are also in a stack
	judged      bool // crash-introducing commits are known
	suspectRank int  // 1-based place of the first true suspect; 0 if there is none
	suspects    int  // suspects in the answer
}

// These are the indices of a count's numbers in a tally.
const (
	fileAt    = 0                           // fileAt+i counts cases with a true file among the first filesAt[i]
	inList    = len(filesAt)                // cases with a true file anywhere
	recip     = inList + 1                  // sum of 1 / rank
	listed    = inList + 2                  // files in the answers
	traced    = inList + 3                  // files in the answers that are also in a stack
	judged    = inList + 4                  // cases with known crash-introducing commits; the numbers below count only these
	suspectAt = inList + 5                  // suspectAt+i counts cases with a true suspect among the first suspectsAt[i]
	suspects  = suspectAt + len(suspectsAt) // suspects in the answers
	width     = suspects + 1                // length of a tally
)

func (n count) tally() eval.Tally {
	t := make(eval.Tally, width)
	for i, k := range filesAt {
		t[fileAt+i] = float64(stat.Count(n.rank > 0 && n.rank <= k))
	}
	if n.rank > 0 {
		t[inList], t[recip] = 1, 1/float64(n.rank)
	}
	t[listed], t[traced] = float64(n.listed), float64(n.traced)
	if !n.judged {
		return t
	}
	t[judged], t[suspects] = 1, float64(n.suspects)
	for i, k := range suspectsAt {
		t[suspectAt+i] = float64(stat.Count(n.suspectRank > 0 && n.suspectRank <= k))
	}
	return t
}

// Sheet defines what a report shows.
func (Task) Sheet() *eval.Sheet { return sheet }

var sheet = &eval.Sheet{
	Metrics: []eval.Metric{
		{Name: "acc_at_1", Title: "acc@1", Of: eval.Mean(fileAt), Estimated: true, Brief: true},
		{Name: "acc_at_2", Title: "acc@2", Of: eval.Mean(fileAt + 1), Decimals: 3},
		{Name: "acc_at_3", Title: "acc@3", Of: eval.Mean(fileAt + 2), Estimated: true, Brief: true},
		{Name: "acc_at_5", Title: "acc@5", Of: eval.Mean(fileAt + 3), Decimals: 3},
		{Name: "acc_at_10", Title: "acc@10", Of: eval.Mean(fileAt + 4), Estimated: true, Brief: true},
		{Name: "in_list", Title: "in list", Of: eval.Mean(inList), Brief: true, Decimals: 3},
		{Name: "mrr", Title: "MRR", Of: eval.Mean(recip), Brief: true, Decimals: 3},
		{Name: "mean_files", Title: "files", Of: eval.Mean(listed), Decimals: 1},
		{Name: "mean_traced_files", Title: "in trace", Of: eval.Mean(traced), Brief: true, Decimals: 1},
		{Name: "suspect_cases", Title: "with commits", Of: func(t eval.Tally, _ int) float64 { return t.At(judged) }},
		{Name: "suspect_acc_at_1", Title: "commit@1", Of: eval.Share(suspectAt, judged), Brief: true, Decimals: 3},
		{Name: "suspect_acc_at_3", Title: "commit@3", Of: eval.Share(suspectAt+1, judged), Decimals: 3},
		{Name: "suspect_acc_at_5", Title: "commit@5", Of: eval.Share(suspectAt+2, judged), Decimals: 3},
		{Name: "suspect_acc_at_10", Title: "commit@10", Of: eval.Share(suspectAt+3, judged), Brief: true, Decimals: 3},
		{Name: "mean_suspects", Of: eval.Share(suspects, judged)},
	},
	Main: "acc_at_1", Small: "acc_at_10", Ceiling: "in_list",
	Dimensions: dimensions,
	Wanted:     "files to fix", Asked: "crash", Named: "file", Truth: "crash-introducing commits",
	Right: "the fix changes the first file",
	Notes: "acc@k: share of the cases with a file of the fix among the first k files; in list: anywhere among the files. " +
		"MRR: mean of 1 / the place of the first such file. files: mean number of files in an answer, and in trace: of those that a stack names. " +
		"commit@k: share of the cases with known crash-introducing commits (with commits) that have one among the first k suspects.",
	Bounded: "a file of the fix is anywhere in the list",
}
