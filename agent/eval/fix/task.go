// Package fixeval measures the engines of agent/fix. It is a task of agent/eval whose cases are
// bugs with the commits that fix them.
//
// An engine gets the commit before the fix with the tests of the fix applied, and a repository
// that ends at that commit: it has no later commit, ref or object. Releases of the project in the
// caches of package managers are hidden from its commands. A release of a crate that the tests
// need is compiled first, and then its sources are hidden. A command without a sandbox can read
// these releases, and the clone with the fix; so measure with a sandbox.
//
// An engine's claims are not trusted. The judge applies each of the first patches to a clean
// copy, restores the tests, and runs the case's commands again. plausible@k is the share of cases
// with a plausible patch among the first k (HAFixAgent, section 5.3, for k = 1). A plausible
// patch may still be wrong: "exact" and "same functions" measure how often it equals the
// developers' fix or changes the same functions.
package fixeval

import (
	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// Task is the task of repairing a bug. With Localization it is the task of finding the functions
// to repair, and reports cover only this task.
type Task struct {
	Localization bool
	// Fallback counts the offline engine's answers instead of a model's. Otherwise such answers
	// count as empty and wrong.
	Fallback bool
}

// TaskFor returns the task for a set of algorithms. Names of other programs do not influence it.
func TaskFor(algorithms []string) Task {
	locates := false
	for _, name := range algorithms {
		a, err := ParseAlgorithm(name)
		if err == nil && a.Engine != Locate {
			return Task{}
		}
		locates = locates || err == nil
	}
	return Task{Localization: locates}
}

// Name returns the task's name in reports and in traces.db.
func (Task) Name() string { return "fix" }

// CalibratedOn returns "", because answers have no probabilities.
func (Task) CalibratedOn(*eval.Results) string { return "" }

// patchesAt and functionsAt list the values of k for which a metric @k is reported.
var (
	patchesAt   = [...]int{1, 3, mostPatches}
	functionsAt = [...]int{1, 3, 5, 10}
	filesAt     = [...]int{1, 3}
)

// count holds the counted parts of an answer.
type count struct {
	repairs bool // the engine was asked to repair the bug; the next fields count only these
	rank    int  // 1-based place of the first plausible patch; 0 if there is none

	exact, sameFiles, sameFunctions bool // of the first patch, if it is plausible
	declined, reproduced, claimed   bool
	tried                           int

	places         bool // the engine was not told the location of the bug; the next fields count only these
	located        int
	function, file int // 1-based places; 0 if there is none
}

// These are the indices of a count's numbers in a tally.
const (
	repairs       = 0
	patchAt       = 1                        // patchAt+i counts cases with a plausible patch among the first patchesAt[i]
	exact         = patchAt + len(patchesAt) // cases whose first patch is plausible and the developers' fix
	sameFiles     = exact + 1
	sameFunctions = exact + 2
	declined      = exact + 3
	reproduced    = exact + 4
	claimed       = exact + 5 // cases with a patch that the engine calls plausible
	refuted       = exact + 6 // of these, cases whose first patch the judge rejects
	tried         = exact + 7
	places        = exact + 8
	located       = exact + 9
	functionAt    = exact + 10
	fileAt        = functionAt + len(functionsAt)
	width         = fileAt + len(filesAt)
)

func (n count) tally() eval.Tally {
	t := make(eval.Tally, width)
	is := func(b bool) float64 { return float64(stat.Count(b)) }
	if n.repairs {
		t[repairs], t[tried] = 1, float64(n.tried)
		t[exact], t[sameFiles], t[sameFunctions] = is(n.exact), is(n.sameFiles), is(n.sameFunctions)
		t[declined], t[reproduced], t[claimed] = is(n.declined), is(n.reproduced), is(n.claimed)
		t[refuted] = is(n.claimed && n.rank != 1)
		for i, k := range patchesAt {
			t[patchAt+i] = is(n.rank > 0 && n.rank <= k)
		}
	}
	if n.places {
		t[places], t[located] = 1, float64(n.located)
		for i, k := range functionsAt {
			t[functionAt+i] = is(n.function > 0 && n.function <= k)
		}
		for i, k := range filesAt {
			t[fileAt+i] = is(n.file > 0 && n.file <= k)
		}
	}
	return t
}

// Sheet defines what a report shows.
func (t Task) Sheet() *eval.Sheet {
	if t.Localization {
		return locateSheet
	}
	return repairSheet
}

var repairSheet = &eval.Sheet{
	Metrics: []eval.Metric{
		{Name: "plausible_at_1", Title: "plausible@1", Of: eval.Share(patchAt, repairs), Estimated: true, Brief: true},
		{Name: "plausible_at_3", Title: "plausible@3", Of: eval.Share(patchAt+1, repairs), Decimals: 3},
		{Name: "plausible_at_5", Title: "plausible@5", Of: eval.Share(patchAt+2, repairs), Estimated: true, Brief: true},
		{Name: "exact", Title: "exact", Of: eval.Share(exact, repairs), Brief: true, Decimals: 3},
		{Name: "same_functions", Title: "same functions", Of: eval.Share(sameFunctions, repairs), Brief: true, Decimals: 3},
		{Name: "same_files", Title: "same files", Of: eval.Share(sameFiles, repairs), Decimals: 3},
		{Name: "refuted", Title: "refuted", Of: eval.Share(refuted, claimed), Decimals: 3},
		{Name: "declined", Title: "declined", Of: eval.Share(declined, repairs), Decimals: 3},
		{Name: "reproduced", Title: "reproduced", Of: eval.Share(reproduced, repairs), Decimals: 3},
		{Name: "mean_tried", Title: "tried", Of: eval.Share(tried, repairs), Decimals: 1},
		{Name: "function_at_1", Title: "function@1", Of: eval.Share(functionAt, places), Brief: true, Decimals: 3},
		{Name: "function_at_3", Title: "@3", Of: eval.Share(functionAt+1, places), Decimals: 3},
		{Name: "function_at_5", Title: "@5", Of: eval.Share(functionAt+2, places), Brief: true, Decimals: 3},
		{Name: "function_at_10", Title: "@10", Of: eval.Share(functionAt+3, places), Decimals: 3},
		{Name: "file_at_1", Title: "file@1", Of: eval.Share(fileAt, places), Decimals: 3},
		{Name: "file_at_3", Of: eval.Share(fileAt+1, places)},
		{Name: "mean_located", Of: eval.Share(located, places)},
	},
	Main: "plausible_at_1", Small: "same_functions", Ceiling: "plausible_at_5",
	Dimensions: dimensions,
	Wanted:     "patches", Asked: "bug", Named: "patch", Truth: "fixes",
	Right: "the first patch is plausible",
	Notes: "plausible@k: share of the cases with a patch among the first k with which the case's tests and suite pass, run again with the tests restored. " +
		"exact: the first patch is plausible and the developers' fix, but for comments and white space; same functions, same files: plausible, and it changes the same ones. " +
		"refuted: share of the cases with a patch that the engine calls plausible, whose first patch is not. declined: the engine tried none. " +
		"reproduced: the engine saw the test fail. tried: mean number of patches that the engine tried. " +
		"function@k, file@1: share of the cases with a function (file) that the fix changes among the first k that the engine suspects, without those whose lines are given; in the row of a model, they are those that the model was shown.",
	Bounded: "one of the first five patches is plausible",
	Configurations: &eval.Configurations{
		Right: "solved", Wrong: "not solved", By: "category",
	},
}

var locateSheet = &eval.Sheet{
	Metrics: []eval.Metric{
		{Name: "function_at_1", Title: "function@1", Of: eval.Share(functionAt, places), Estimated: true, Brief: true},
		{Name: "function_at_3", Title: "function@3", Of: eval.Share(functionAt+1, places), Brief: true, Decimals: 3},
		{Name: "function_at_5", Title: "function@5", Of: eval.Share(functionAt+2, places), Estimated: true, Brief: true},
		{Name: "function_at_10", Title: "function@10", Of: eval.Share(functionAt+3, places), Estimated: true, Brief: true},
		{Name: "file_at_1", Title: "file@1", Of: eval.Share(fileAt, places), Brief: true, Decimals: 3},
		{Name: "file_at_3", Title: "file@3", Of: eval.Share(fileAt+1, places), Decimals: 3},
		{Name: "mean_located", Title: "functions", Of: eval.Share(located, places), Decimals: 1},
	},
	Main: "function_at_1", Small: "function_at_5", Ceiling: "function_at_10",
	Dimensions: dimensions,
	Wanted:     "functions to repair", Asked: "bug", Named: "function", Truth: "fixes",
	Right: "the fix changes the first function",
	Notes: "function@k, file@k: share of the cases with a function (file) that the fix changes among the first k. " +
		"functions: mean number of functions in an answer.",
	Bounded: "one of the first ten functions is changed by the fix",
}
