package szzeval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/gitext"
)

// oid makes a full object id from a short name.
func oid(name string) gitext.OID {
	return gitext.OID(fmt.Sprintf("%040x", name))
}

func oids(names ...string) []gitext.OID {
	var list []gitext.OID
	for _, name := range names {
		list = append(list, oid(name))
	}
	return list
}

// answer returns a prediction of commits with falling probabilities.
func answer(names ...string) eval.Record {
	p := Prediction{}
	for i, name := range names {
		p.Suspects = append(p.Suspects, Suspect{Commit: oid(name), Probability: 0.8 / float64(i+1)})
	}
	return eval.Record{Answer: p}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// outcome returns the outcome that the evaluation computes from a record.
func outcome(index int, c Case, r eval.Record) eval.Outcome {
	return eval.Outcome{Case: index, Evaluated: r.Skip == "", Failed: r.Error != "",
		Score: Task{}.Score(c, r.Answer), Unanswered: Task{}.Score(c, nil).Tally}
}

// overall returns the row over all cases.
func overall(cases []Case, records []eval.Record) eval.Row {
	res := &eval.Results{Algorithms: []string{"b"}, Outcomes: map[string][]eval.Outcome{}}
	for i, c := range cases {
		res.Cases = append(res.Cases, c)
		res.Outcomes["b"] = append(res.Outcomes["b"], outcome(i, c, records[i]))
	}
	return eval.NewReport(Task{}, eval.About{}, res).Algorithms[0].Overall
}

// accuracy returns acc@1, acc@3 and acc@5 of a row.
func accuracy(row eval.Row) []float64 {
	var list []float64
	for i, m := range sheet.Metrics {
		if m.Name == "acc_at_1_3_5" {
			list = append(list, *row.Values[i].Value)
		}
	}
	return list
}

// Micro averages count commits over all cases. A twin is a right answer, but a BIC
// and its twin find only one BIC.
func TestMicroAverages(t *testing.T) {
	cases := []Case{
		{ID: "1", BICs: oids("a")},
		{ID: "2", BICs: oids("b", "c")},
		{ID: "3", BICs: oids("d"), Twins: map[gitext.OID][]gitext.OID{oid("d"): oids("d2")}},
		{ID: "4", BICs: oids("e")},
	}
	records := []eval.Record{answer("a", "x", "a"), answer("y", "b"), answer("d", "d2"), {Error: "broke"}}
	row := overall(cases, records)
	// answers: a x | y b | d d2 = 6, right a b d d2 = 4; BICs 5, found a b d = 3
	near(t, "precision", *row.Value("precision").Value, 4.0/6)
	near(t, "recall", *row.Value("recall").Value, 3.0/5)
	near(t, "F1", *row.Value("f1").Value, 2*(4.0/6)*(3.0/5)/(4.0/6+3.0/5))
	near(t, "acc@1", accuracy(row)[0], 2.0/4)
	near(t, "acc@3", accuracy(row)[1], 3.0/4)
	near(t, "ceiling", *row.Value("ceiling").Value, 3.0/5)
	near(t, "ceiling by case", *row.Value("ceiling_cases").Value, 3.0/4)
	if row.Failed != 1 || row.Empty != 1 || row.Cases != 4 {
		t.Errorf("%d failed, %d empty of %d; want 1, 1 of 4", row.Failed, row.Empty, row.Cases)
	}
}

// Candidates raise the ceiling above the recall. The answer counts among the candidates even if
// the engine does not list it there.
func TestCeiling(t *testing.T) {
	c := Case{BICs: oids("a", "b", "c")}
	o := Task{}.Score(c, Prediction{Suspects: []Suspect{{Commit: oid("a")}}, Candidates: oids("b", "x", "b")})
	if o.Tally[found] != 1 || o.Tally[reachable] != 2 || o.Tally[pool] != 3 || len(o.Forecasts) != 0 {
		t.Errorf("found %v, reachable %v, pool %v, forecasts %d; want 1, 2, 3, 0", o.Tally[found], o.Tally[reachable], o.Tally[pool], len(o.Forecasts))
	}
}

// In a ranking, acc@k also looks beyond the answer, even if the answer is empty.
// Whether the case is right depends on the answer alone.
func TestRanking(t *testing.T) {
	c := Case{BICs: oids("a")}
	for _, r := range []struct {
		suspects []Suspect
		rank     int
		top      bool
	}{{nil, 2, false}, {[]Suspect{{Commit: oid("x")}}, 2, false}} {
		p := Prediction{Suspects: r.suspects, Candidates: oids("x", "a"), Ranked: true}
		if o := (Task{}).Score(c, p); o.Row.(scoreRow).Rank != r.rank || o.Right != r.top || o.Tally[found] != 0 {
			t.Errorf("%v: %+v, right %v", r.suspects, o.Row, o.Right)
		}
	}
	p := Prediction{Candidates: oids("x", "y"), Ranked: true}
	if o := (Task{}).Score(c, p); o.Row.(scoreRow).Rank != 0 {
		t.Errorf("%+v of a commit that is no candidate", o.Row)
	}
}

// Precision is undefined without answers, and no value in a row is NaN.
func TestNoAnswers(t *testing.T) {
	row := overall([]Case{{ID: "1", BICs: oids("a")}, {ID: "2", BICs: oids("b", "c")}}, []eval.Record{answer(), answer()})
	if row.Value("precision").Value != nil {
		t.Errorf("precision is %v, want none", *row.Value("precision").Value)
	}
	near(t, "recall", *row.Value("recall").Value, 0)
	near(t, "F1", *row.Value("f1").Value, 0)
	if empty := overall(nil, nil); empty.Value("recall").Value != nil || *empty.Value("ceiling").Value != 0 {
		t.Errorf("a row of no cases claims recall %v", empty.Value("recall"))
	}
}

// randomResults returns 120 cases with two algorithms, some skipped and failed.
func randomResults(seed uint64) *eval.Results {
	random := rand.New(rand.NewPCG(seed, 1))
	res := &eval.Results{Algorithms: []string{"b", "rank"}, Outcomes: map[string][]eval.Outcome{}}
	for i := range 120 {
		age := random.Float64() * 3000
		c := Case{ID: fmt.Sprintf("case-%03d", i), Repo: fmt.Sprintf("o/r%d", i%7), Fix: oid(fmt.Sprint("f", i)), File: "x.jsonl",
			BICs: oids("a", "b")[:1+random.IntN(2)], Ghost: yes(i%9 == 0), AgeDays: &age, Langs: []string{"C", "py"}[:random.IntN(3)],
			LabelSource: []string{"trailer:Fixes", "rosa2021"}[i%2]}
		res.Cases = append(res.Cases, c)
		for _, name := range res.Algorithms {
			rec := answer([]string{"a", "b", "x", "y"}[random.IntN(3) : 2+random.IntN(3)]...)
			for j := range rec.Answer.(Prediction).Suspects {
				rec.Answer.(Prediction).Suspects[j].Probability = float64(random.IntN(20)) / 20
			}
			switch {
			case i%20 == 3:
				rec = eval.Record{Skip: "no repository"}
			case i%20 == 4:
				rec = eval.Record{Error: "broke"}
			}
			res.Outcomes[name] = append(res.Outcomes[name], outcome(i, c, rec))
		}
	}
	return res
}

// A report does not depend on the order of the cases.
func TestPermutationInvariance(t *testing.T) {
	res := randomResults(1)
	want := reportJSON(t, res)
	random := rand.New(rand.NewPCG(5, 5))
	shuffled := *res
	shuffled.Cases = slices.Clone(res.Cases)
	shuffled.Outcomes = map[string][]eval.Outcome{}
	for name, rows := range res.Outcomes {
		shuffled.Outcomes[name] = slices.Clone(rows)
	}
	random.Shuffle(len(shuffled.Cases), func(i, j int) {
		shuffled.Cases[i], shuffled.Cases[j] = shuffled.Cases[j], shuffled.Cases[i]
		for _, rows := range shuffled.Outcomes {
			rows[i], rows[j] = rows[j], rows[i]
		}
	})
	if got := reportJSON(t, &shuffled); got != want {
		t.Errorf("the report changed with the order of the cases\n%s\n%s", got, want)
	}
}

// Every share is in [0, 1], an interval contains its value, recall is at most the
// ceiling, and acc@k does not fall with k.
func TestBounds(t *testing.T) {
	for seed := range uint64(3) {
		r := eval.NewReport(Task{}, eval.About{}, randomResults(seed))
		for _, a := range r.Algorithms {
			checkBounds(t, a.Overall)
			for _, d := range a.By {
				total := 0
				for _, row := range d.Rows {
					checkBounds(t, row)
					total += row.Cases
				}
				if !d.Overlapping && total != a.Overall.Cases {
					t.Errorf("rows of %s hold %d cases of %d", d.Dimension, total, a.Overall.Cases)
				}
			}
			if c := a.Calibration; *c.ECE.Value < 0 || *c.ECE.Value > 1 || *c.AUROC < 0 || *c.AUROC > 1 || *c.Skill > 1 {
				t.Errorf("calibration out of bounds: %+v", c)
			}
		}
	}
}

func checkBounds(t *testing.T, row eval.Row) {
	t.Helper()
	for _, e := range []stat.Estimate{row.Value("precision"), row.Value("recall"), row.Value("f1")} {
		if e.Value != nil && (*e.Value < 0 || *e.Value > 1) {
			t.Errorf("%s: %v out of bounds", row.Name, e)
		}
		if e.Low != nil && (*e.Low > *e.Value || *e.High < *e.Value) {
			t.Errorf("%s: %v outside its interval", row.Name, e)
		}
	}
	if row.Value("recall").Value != nil && *row.Value("recall").Value > *row.Value("ceiling").Value+1e-12 {
		t.Errorf("%s: recall %v above the ceiling %v", row.Name, row.Value("recall"), row.Value("ceiling"))
	}
	if acc := accuracy(row); !slices.IsSorted(acc) || acc[2] > 1 {
		t.Errorf("%s: acc@k is %v", row.Name, acc)
	}
}
