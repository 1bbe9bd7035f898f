package crasheval

import (
	"fmt"
	"math"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/eval"
	"git-agent/agent/stat"
)

// Tables returns the tables of AutoCrashFL and Code Researcher about the answers of single runs.
// It returns none for an algorithm without a model.
func (Task) Tables(res *eval.Results, algorithm string) []eval.Table {
	b := boxOf(res, algorithm)
	if len(b) == 0 {
		return nil
	}
	tables := []eval.Table{b.overRuns(), b.fixFiles()}
	return append(tables, b.confidence()...)
}

// voted is a case that the runs of a model investigated.
type voted struct {
	scoreRow
	repo   string
	stated float64 // probability of the first file; 0 if there is none
}

// box is the list of cases that a model investigated.
type box []voted

// boxOf returns the cases of an algorithm with known answers of the runs.
func boxOf(res *eval.Results, algorithm string) box {
	var b box
	for i, o := range res.Outcomes[algorithm] {
		row, ok := o.Row.(scoreRow)
		if !ok || !o.Evaluated || len(row.ballots) == 0 {
			continue
		}
		v := voted{scoreRow: row, repo: res.Cases[i].Head().Repo}
		if len(o.Forecasts) > 0 {
			v.stated = o.Forecasts[0].P
		}
		b = append(b, v)
	}
	return b
}

// maxSubsets is the most subsets of the runs of a case that are counted. It suffices for all
// subsets of ten runs.
const maxSubsets = 252

// overRuns returns the curve over the number of runs (AutoCrashFL, section 5.3): for each number,
// the mean over all subsets of this size of a case's runs. The rankings contain only files that
// the runs name. Only cases with the most runs count, so that all rows cover the same cases.
func (b box) overRuns() eval.Table {
	t := eval.Table{Name: "runs", Title: "files named by so many runs", Columns: []eval.Column{{Name: "mean_files", Title: "files", Decimals: 2}}}
	for _, k := range filesAt {
		t.Columns = append(t.Columns, eval.Column{Name: fmt.Sprintf("acc_at_%d", k), Title: fmt.Sprintf("acc@%d", k), Decimals: 3})
	}
	most := 0
	for _, v := range b {
		most = max(most, len(v.ballots))
	}
	full := slices.DeleteFunc(slices.Clone(b), func(v voted) bool { return len(v.ballots) < most })
	for n := 1; n <= most; n++ {
		rows := make([]eval.Tally, len(full))
		for i, v := range full {
			rows[i] = v.over(n)
		}
		t.Rows = append(t.Rows, eval.TableRow{Name: fmt.Sprint(n), Values: eval.Means(rows)})
	}
	t.Note = fmt.Sprintf("means over all subsets of the %s of each of %s; nothing follows the files that the runs name",
		agent.Plural(most, "run"), agent.Plural(len(full), "case"))
	return t
}

// over returns the means over the subsets of n runs: the number of files, and whether a file of
// the fix is among the first k.
func (v voted) over(n int) eval.Tally {
	t := make(eval.Tally, 1+len(filesAt))
	subsets := subsetsOf(len(v.ballots), n)
	for _, subset := range subsets {
		var ballots [][]string
		for _, i := range subset {
			ballots = append(ballots, v.ballots[i])
		}
		order, _ := investigate.Elect(ballots)
		t[0] += float64(len(order)) / float64(len(subsets))
		at := slices.IndexFunc(order, func(p string) bool { return slices.Contains(v.truth, p) })
		for i, k := range filesAt {
			if at >= 0 && at < k {
				t[1+i] += 1 / float64(len(subsets))
			}
		}
	}
	return t
}

// subsetsOf returns the subsets with n of the first size numbers, in lexical order. If there are
// more than maxSubsets, it returns maxSubsets of them at equal distances.
func subsetsOf(size, n int) [][]int {
	var all [][]int
	var grow func(from int, chosen []int)
	total := binomial(size, n)
	step, seen := math.Max(1, total/maxSubsets), 0.0
	grow = func(from int, chosen []int) {
		if len(chosen) == n {
			if seen >= float64(len(all))*step {
				all = append(all, slices.Clone(chosen))
			}
			seen++
			return
		}
		for i := from; i <= size-(n-len(chosen)); i++ {
			grow(i+1, append(chosen, i))
		}
	}
	grow(0, nil)
	return all
}

// binomial returns the number of subsets of k of n things.
func binomial(n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(n-i) / float64(i+1)
	}
	return math.Round(p)
}

// fixFiles returns a table of the number of the fix's files that single runs name, and of the
// number of files that they read (Code Researcher, table 2 and figure 2). A run without an answer
// names none.
func (b box) fixFiles() eval.Table {
	t := eval.Table{Name: "fix_files", Title: "files of the fix, by single runs", Columns: []eval.Column{
		{Name: "mean_files", Title: "files", Decimals: 2}, {Name: "recall", Title: "recall", Decimals: 3},
		{Name: "all", Title: "all", Decimals: 3}, {Name: "any", Title: "any", Decimals: 3}, {Name: "none", Title: "none", Decimals: 3},
		{Name: "files_read", Title: "files read", Decimals: 1},
	}}
	rows := make([]eval.Tally, len(b))
	for i, v := range b {
		rows[i] = v.named()
	}
	t.Rows = []eval.TableRow{{Name: "mean", Values: eval.Means(rows)}}
	t.Note = "recall: share of the files of the fix that a run names; all, any, none: share of the runs that name all of them, some but not all, and none. " +
		"files read: files whose text the calls of all runs of a case asked for, beside what the first message shows"
	return t
}

// named returns the means over the runs of a case for fixFiles.
func (v voted) named() eval.Tally {
	t := make(eval.Tally, 6)
	for _, ballot := range v.ballots {
		found := 0
		for _, path := range v.truth {
			found += stat.Count(slices.Contains(ballot, path))
		}
		share := 1 / float64(len(v.ballots))
		t[0] += share * float64(len(ballot))
		t[1] += share * float64(found) / float64(max(1, len(v.truth)))
		switch {
		case found == 0:
			t[4] += share
		case found == len(v.truth):
			t[2] += share
		default:
			t[3] += share
		}
	}
	t[5] = float64(v.read)
	return t
}
