package fixeval

import (
	"fmt"
	"math"
	"slices"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/stat"
)

// Tables returns the tables of HAFixAgent and Passerine that the metrics do not cover.
func (Task) Tables(res *eval.Results, algorithm string) []eval.Table {
	list := sampledOf(res, algorithm)
	return slices.Concat(blameTable(res, algorithm), list.estimates(), list.habits(res), fixFiles(res, algorithm))
}

// sampled is a case on which a model worked in a fixed number of trajectories, independent of
// their results.
type sampled struct {
	scoreRow
	index int // of the case
}

// plausible counts the trajectories with a plausible patch.
func (s sampled) plausible() int {
	n := 0
	for _, t := range s.trajectories {
		n += stat.Count(t.Verdict == fix.Plausible)
	}
	return n
}

type sampling []sampled

// sampledOf returns the cases of an algorithm, or none if its number of trajectories is not
// fixed. A failed case has trajectories without a patch.
func sampledOf(res *eval.Results, algorithm string) sampling {
	var list sampling
	most := 0
	for i, o := range res.Outcomes[algorithm] {
		row, ok := o.Row.(scoreRow)
		if !ok || !o.Evaluated {
			continue
		}
		most = max(most, row.samples)
		list = append(list, sampled{row, i})
	}
	if most == 0 {
		return nil
	}
	for i := range list {
		if list[i].samples == 0 {
			list[i].samples = most
		}
	}
	return list
}

// drawn lists the numbers of trajectories in estimates of plausible@k.
var drawn = []int{1, 2, 3, 5, 10, 20, 50, 100}

// estimates returns the table of plausible@k by trajectories (Passerine, figure 7) beside the
// engine's answers.
func (l sampling) estimates() []eval.Table {
	if len(l) == 0 {
		return nil
	}
	least := l[0].samples
	for _, s := range l {
		least = min(least, s.samples)
	}
	ks := slices.DeleteFunc(slices.Clone(drawn), func(k int) bool { return k >= least })
	ks = append(ks, least)
	t := eval.Table{Name: "trajectories", Title: "plausible@k", Columns: []eval.Column{
		{
			Name:     "of_trajectories",
			Title:    "of k trajectories",
			Decimals: 3,
		}, {Name: "of_answer", Title: "of the answer's first k patches", Decimals: 3}}}
	rows := make([]eval.Tally, len(l))
	for i, s := range l {
		for _, k := range ks {
			rows[i] = append(rows[i], atLeastOne(s.samples, s.plausible(), k), float64(stat.Count(s.Rank > 0 && s.Rank <= k)))
		}
	}
	values := eval.Means(rows)
	for i, k := range ks {
		t.Rows = append(t.Rows, eval.TableRow{Name: fmt.Sprint(k), Values: values[2*i : 2*i+2]})
	}
	t.Note = "of k trajectories: the chance that k trajectories, drawn from all of a case, have a plausible patch; the judge tried each patch, also those that the engine does not show. " +
		"A trajectory that the server or a limit ended counts as one without a patch. " +
		"of the answer's first k patches: the engine chose and ordered them after all trajectories had ended"
	return []eval.Table{t}
}

// atLeastOne returns the probability of at least one plausible trajectory among k, drawn without
// replacement from n, of which c are plausible: 1 - C(n-c, k) / C(n, k) (Chen et al., arXiv
// 2107.03374, section 2.1). k is at most n.
func atLeastOne(n, c, k int) float64 {
	none := 1.0
	for i := range k {
		none *= max(0, float64(n-c-i)) / float64(n-i)
	}
	return 1 - none
}

// habit is a column of the table of habits.
type habit struct {
	eval.Column
	of func(Trajectory) float64 // NaN for a trajectory that does not count
}

// habits are the columns of Passerine's table V and figure 9.
var habits = []habit{
	{eval.Column{Name: "right_file", Title: "right file", Decimals: 3}, func(t Trajectory) float64 { return is(t.RightFile) }},
	{eval.Column{Name: "distance", Title: "distance", Decimals: 2}, func(t Trajectory) float64 {
		if t.Edited == 0 {
			return math.NaN()
		}
		return t.Distance
	}},
	smell("no_test"), smell("no_op_read"), smell("consecutive_search"), smell("consecutive_edits"),
}

func is(b bool) float64 { return float64(stat.Count(b)) }

// smell returns the column with the share of trajectories that have a smell.
func smell(name string) habit {
	return habit{eval.Column{Name: name, Title: name, Decimals: 3}, func(t Trajectory) float64 { return is(slices.Contains(t.Smells, name)) }}
}

// habits returns a table of the course of trajectories with and without a plausible patch, by
// case file and by category.
func (l sampling) habits(res *eval.Results) []eval.Table {
	t := eval.Table{Name: "habits", Title: "trajectories", Columns: []eval.Column{{Name: "trajectories", Title: "all"}}}
	for _, h := range habits {
		t.Columns = append(t.Columns, h.Column)
	}
	for _, kind := range l.kinds(res) {
		for _, plausible := range []bool{false, true} {
			var part []Trajectory
			for _, s := range kind.cases {
				for _, tr := range s.trajectories {
					if (tr.Verdict == fix.Plausible) == plausible {
						part = append(part, tr)
					}
				}
			}
			if len(part) > 0 {
				t.Rows = append(t.Rows, habitRow(kind.name, plausible, part))
			}
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	t.Note = "right file: share of the trajectories that edit a file of the fix. distance: mean number of steps in the tree of files from an edited file to the nearest file of the fix, " +
		"of the trajectories that edit one; tests do not count. The other columns are shares of the trajectories with a smell that git agent trace smells knows"
	return []eval.Table{t}
}

func habitRow(kind string, plausible bool, part []Trajectory) eval.TableRow {
	row := eval.TableRow{Name: kind + ", not plausible", Values: []stat.Estimate{{Value: stat.Defined(float64(len(part)))}}}
	if plausible {
		row.Name = kind + ", plausible"
	}
	for _, h := range habits {
		sum, n := 0.0, 0
		for _, t := range part {
			if x := h.of(t); !math.IsNaN(x) {
				sum, n = sum+x, n+1
			}
		}
		row.Values = append(row.Values, stat.Estimate{Value: stat.Defined(sum / float64(n))})
	}
	return row
}

// A kind is a set of bugs.
type kind struct {
	name  string
	cases sampling
}

// kinds returns all bugs, then the bugs of each file if there are several, then the bugs of each
// category.
func (l sampling) kinds(res *eval.Results) []kind {
	list := []kind{{"all", l}}
	add := func(names []string, of func(sampled) string) {
		for _, name := range names {
			part := slices.DeleteFunc(slices.Clone(l), func(s sampled) bool { return of(s) != name })
			if len(part) > 0 {
				list = append(list, kind{name, part})
			}
		}
	}
	file := func(s sampled) string { return res.Cases[s.index].Head().File }
	var files []string
	for _, s := range l {
		if f := file(s); !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	slices.Sort(files)
	if len(files) > 1 {
		add(files, file)
	}
	add(categories, func(s sampled) string { return s.Category })
	return list
}
