package bisecteval

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/gitext"
)

// outcomes returns results with predictions of two algorithms, by their runs.
func outcomes(t *testing.T, own, git []int) *eval.Results {
	t.Helper()
	res := &eval.Results{Algorithms: []string{Uniform, Git}, Outcomes: map[string][]eval.Outcome{}}
	first := gitext.OID(strings.Repeat("1", 40))
	for i := range own {
		c := Case{ID: fmt.Sprint(i), Repo: "o/r", BICs: []gitext.OID{first}, Langs: []string{"C"}}
		res.Cases = append(res.Cases, c)
		for name, n := range map[string]int{Uniform: own[i], Git: git[i]} {
			p := Prediction{Status: "proved", First: first, Proved: i > 0, Runs: n, Range: 60, Newer: 10, Halvings: 6, Probability: 1}
			kept, err := json.Marshal(p) // as in the journal
			if err != nil {
				t.Fatal(err)
			}
			_, a, err := Task{}.ReadKept([]byte("{}"), kept)
			if err != nil {
				t.Fatal(err)
			}
			res.Outcomes[name] = append(res.Outcomes[name], eval.Outcome{Case: i, Evaluated: true, Seconds: float64(n), Score: Task{}.Score(c, a), Unanswered: Task{}.Score(c, nil).Tally})
		}
	}
	return res
}

// The report has the quantiles of the runs, and the ratios to git's on the same cases.
func TestReport(t *testing.T) {
	res := outcomes(t, []int{5, 6, 7, 8, 10}, []int{10, 6, 7, 8, 5})
	r := eval.NewReport(Task{}, eval.About{Run: "x"}, res)
	row := r.Algorithms[0].Overall
	for name, want := range map[string]float64{"right": 0.8, "proved": 0.8, "median_runs": 7, "runs_90": 10, "most_runs": 10, "mean_runs": 7.2, "mean_halvings": 6, "over_three": 0.2} {
		if got := row.Value(name).Value; got == nil || math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	table := r.Algorithms[0].Tables[0]
	for i, want := range []float64{5, 0.8, 7, 9.2, 10, 0.2, 6, 1, 0.2, 0.2, 7} {
		if got := table.Rows[0].Values[i].Value; got == nil || math.Abs(*got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", table.Columns[i].Name, got, want)
		}
	}
	if len(table.Rows) != 3 || table.Rows[1].Name != "C" || table.Rows[2].Name != "up to 99" {
		t.Errorf("rows %+v", table.Rows)
	}
	if git := r.Algorithms[1].Tables[0].Rows[0].Values[7]; git.Value != nil {
		t.Errorf("git's ratio to itself: %v", git)
	}
}

// A failed prediction counts as wrong, and not in the quantiles of the runs.
func TestFailed(t *testing.T) {
	res := outcomes(t, []int{5, 9}, []int{5, 9})
	failed := Task{}.Score(res.Cases[1], nil)
	res.Outcomes[Uniform][1] = eval.Outcome{Case: 1, Evaluated: true, Failed: true, Seconds: math.NaN(), Score: failed, Unanswered: failed.Tally}
	row := eval.NewReport(Task{}, eval.About{}, res).Algorithms[0].Overall
	if *row.Value("right").Value != 0 || *row.Value("most_runs").Value != 5 || row.Failed != 1 {
		t.Errorf("%+v", row)
	}
	if len(Task{}.Tables(&eval.Results{}, Uniform)) != 0 {
		t.Error("a table of no cases")
	}
}

// A case has commands of its own, or those of its proof.
func TestReadCase(t *testing.T) {
	const oid = "0123456789012345678901234567890123456789"
	read := func(fields string) (Case, error) {
		c, err := Task{}.ReadCase([]byte(`{"repo":"o/r",`+fields+`}`), "f.jsonl")
		return c.(Case), err
	}
	c, err := read(`"fix":"` + oid + `","bics":["` + oid + `"],"proof":{"test_cmd":"t","build_cmd":"b","test_files":["x"],"kind":"regression"}`)
	if err != nil || c.Test != "t" || c.Build != "b" || len(c.TestFiles) != 1 || c.ID != "o/r@012345678901" || c.File != "f.jsonl" || !Regression(c) {
		t.Errorf("%+v, %v", c, err)
	}
	c.Source = "executed:never worked"
	if Regression(c) {
		t.Error("what never worked is a regression")
	}
	for fields, want := range map[string]string{
		`"fix":"` + oid + `","bics":["` + oid + `"]`:                                     "test_cmd",
		`"bics":["` + oid + `"],"test_cmd":"t"`:                                          `"fix" and "bad"`,
		`"bad":"` + oid + `","bics":[],"test_cmd":"t"`:                                   "bics",
		`"bad":"` + oid + `","bics":["` + oid + `"],"test_cmd":"t","test_files":["x"]`:   "those of the fix",
		`"bad":"x","bics":["` + oid + `"],"test_cmd":"t"`:                                `"bad"`,
		`"bad":"` + oid + `","good":"` + oid + `","bics":["HEAD"],"test_cmd":"t"`:        `"bics"`,
		`"bad":"` + oid + `","bics":["` + oid + `"],"test_cmd":"t","repo":"../outside"`:  "owner/name",
		`"bad":"` + oid + `","bics":["` + oid + `"],"test_cmd":"t","repo":"","fix":null`: "missing",
	} {
		if _, err := read(fields); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", fields, err)
		}
	}
}

// The answers of another program name a commit, or none.
func TestForeign(t *testing.T) {
	oid := strings.Repeat("a", 40)
	p, err := readForeign([]byte(`{"id":"c","first":"` + oid + `","runs":7}`))
	if err != nil || p.First != gitext.OID(oid) || !p.Proved || p.Runs != 7 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = readForeign([]byte(`{"id":"c","first":""}`)); err != nil || p.Proved {
		t.Errorf("%+v, %v", p, err)
	}
	for _, line := range []string{`{"id":"c"}`, `{"first":"x"}`, `{"first":"","runs":-1}`} {
		if CheckForeign([]byte(line)) == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}
