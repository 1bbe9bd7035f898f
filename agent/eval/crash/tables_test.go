package crasheval

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
)

// voting returns the results of a model whose runs name files, one list of ballots for
// each case. The fix of each case changes a.c and z.c.
func voting(t *testing.T, cases ...[][]string) *eval.Results {
	t.Helper()
	res := &eval.Results{Algorithms: []string{"agent"}, Outcomes: map[string][]eval.Outcome{}}
	for i, ballots := range cases {
		c := Case{ID: fmt.Sprint("c", i), Repo: fmt.Sprint("o/r", i), FixFiles: []string{"a.c", "z.c"}}
		p := files("a.c")
		p.Ballots, p.Read = ballots, []string{"a.c", "b.c"}
		res.Cases = append(res.Cases, c)
		kept, err := json.Marshal(p) // as in the journal
		if err != nil {
			t.Fatal(err)
		}
		_, answer, err := Task{}.ReadKept([]byte("{}"), kept)
		if err != nil {
			t.Fatal(err)
		}
		res.Outcomes["agent"] = append(res.Outcomes["agent"], eval.Outcome{Case: i, Evaluated: true, Score: Task{}.Score(c, answer), Unanswered: Task{}.Score(c, nil).Tally})
	}
	return res
}

// table returns the table with a name.
func table(t *testing.T, list []eval.Table, name string) eval.Table {
	t.Helper()
	i := slices.IndexFunc(list, func(tab eval.Table) bool { return tab.Name == name })
	if i < 0 {
		t.Fatalf("no table %s in %+v", name, list)
	}
	return list[i]
}

func valuesOf(row eval.TableRow) []float64 {
	var list []float64
	for _, e := range row.Values {
		if e.Value == nil {
			list = append(list, -1)
		} else {
			list = append(list, *e.Value)
		}
	}
	return list
}

func same(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		near(t, fmt.Sprintf("%s, number %d", what, i), got[i], want[i])
	}
}

// The curve over the number of runs is the mean over all subsets, computed by hand. The runs are
// {a}, {b, a} and {b}. Alone, one of three has a first. Of the pairs, the first two are right,
// the second because a is named first. With all three there is a tie, and b is first in more of
// the lists.
func TestCurveOverRuns(t *testing.T) {
	res := voting(t, [][]string{{"a.c"}, {"b.c", "a.c"}, {"b.c"}}, [][]string{{"a.c"}}) // the second case has one run, and does not count
	runs := table(t, Task{}.Tables(res, "agent"), "runs")
	if len(runs.Rows) != 3 || !strings.Contains(runs.Note, "3 runs of each of 1 case;") {
		t.Fatalf("%+v", runs)
	}
	same(t, "R=1", valuesOf(runs.Rows[0]), 4./3, 1./3, 2./3, 2./3, 2./3, 2./3)
	same(t, "R=2", valuesOf(runs.Rows[1]), 2, 2./3, 1, 1, 1, 1)
	same(t, "R=3", valuesOf(runs.Rows[2]), 2, 0, 1, 1, 1, 1)
}

// Runs without an answer do not shorten a subset, and runs that name no file count as naming
// none.
func TestCurveWithoutAnswers(t *testing.T) {
	res := voting(t, [][]string{nil, {"a.c"}, {}}, [][]string{nil, nil, nil})
	runs := table(t, Task{}.Tables(res, "agent"), "runs")
	same(t, "R=1", valuesOf(runs.Rows[0]), 1./6, 1./6, 1./6, 1./6, 1./6, 1./6)
	same(t, "R=3", valuesOf(runs.Rows[2]), 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)
}

// For ten runs all subsets are counted. For more runs the same number of different subsets is
// counted.
func TestSubsets(t *testing.T) {
	for _, test := range []struct{ size, n, want int }{{10, 5, 252}, {10, 10, 1}, {3, 2, 3}, {16, 8, maxSubsets}, {30, 1, 30}} {
		list := subsetsOf(test.size, test.n)
		different := map[string]bool{}
		for _, s := range list {
			different[fmt.Sprint(s)] = true
		}
		if len(list) != test.want || len(different) != len(list) || len(list[0]) != test.n {
			t.Errorf("%d of %d: %d subsets, %d different", test.n, test.size, len(list), len(different))
		}
	}
}

// All, any and none are counted by run; recall is the share of the fix's files.
func TestFixFiles(t *testing.T) {
	res := voting(t, [][]string{{"a.c", "z.c", "b.c"}, {"a.c"}, {"b.c"}, nil})
	got := table(t, Task{}.Tables(res, "agent"), "fix_files")
	same(t, "files", valuesOf(got.Rows[0]), 5./4, (1+0.5)/4, 1./4, 1./4, 2./4, 2)
}

// The buckets of confidence and the Brier scores equal those computed by hand.
func TestConfidence(t *testing.T) {
	res := voting(t,
		[][]string{{"a.c"}, {"a.c"}, {"a.c"}},                                                                     // 1, right
		[][]string{{"b.c"}, {"b.c"}, nil},                                                                         // 1: a run without an answer does not vote; wrong
		[][]string{{"a.c", "b.c"}, {"a.c", "c.c"}},                                                                // .5, right
		[][]string{{"b.c", "c.c", "d.c", "e.c"}, {"f.c", "g.c", "h.c", "i.c"}} /* .125, wrong */, [][]string{nil}) // nobody's answer
	tables := Task{}.Tables(res, "agent")
	got := table(t, tables, "confidence")
	same(t, "low", valuesOf(got.Rows[0]), 1, 0)
	same(t, "medium", valuesOf(got.Rows[1]), 1, 1)
	same(t, "high", valuesOf(got.Rows[2]), 2, 0.5)
	scores := table(t, tables, "foretold")
	same(t, "base rate", valuesOf(scores.Rows[1]), 0.25)
	same(t, "confidence", valuesOf(scores.Rows[2]), (0+1+0.25+0.125*0.125)/4)
	same(t, "stated", valuesOf(scores.Rows[4]), (0.04+0.64+0.04+0.64)/4)
	same(t, "correlation", valuesOf(scores.Rows[0]), 0.1875/math.Sqrt(0.54296875)) // sums of squares and products of 1, 1, .5, .125 and 1, 0, 1, 0
}

// An algorithm without a model has no such tables, nor do stored answers of an older build. The
// report shows the tables in every form.
func TestTablesInReports(t *testing.T) {
	if got := (Task{}).Tables(voting(t, nil), "agent"); got != nil {
		t.Errorf("%+v", got)
	}
	r := eval.NewReport(Task{}, eval.About{}, voting(t, [][]string{{"a.c"}, {"b.c"}}, [][]string{{"a.c"}, {"a.c"}}))
	for name, want := range map[string][]string{
		"text": {"files named by so many runs", "first file right", "correlation of the confidence", "files of the fix, by single runs"},
		"page": {"<th>files named by so many runs</th>", "point-biserial"},
		"JSON": {`"tables":[{"name":"runs","title":"files named by so many runs","columns":[{"name":"mean_files","title":"files"}`},
	} {
		var b bytes.Buffer
		write := map[string]func() error{"text": func() error { return r.WriteText(&b) }, "page": func() error { return r.WriteHTML(&b) }, "JSON": func() error { return r.WriteJSON(&b) }}[name]
		if err := write(); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("the %s has no %q:\n%s", name, text, b.String())
			}
		}
	}
}
