package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"git-agent/agent/stat"
	"git-agent/gitext"
)

// oid makes a full object id of a short name.
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

// answer is a prediction of commits with falling probabilities.
func answer(names ...string) Record {
	p := &Prediction{}
	for i, name := range names {
		p.Suspects = append(p.Suspects, Suspect{Commit: oid(name), Probability: 0.8 / float64(i+1)})
	}
	return Record{Answer: p}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// Micro averages count commits over all cases, and a twin is a right answer
// that finds its BIC once.
func TestMicroAverages(t *testing.T) {
	cases := []Case{
		{ID: "1", BICs: oids("a")},
		{ID: "2", BICs: oids("b", "c")},
		{ID: "3", BICs: oids("d"), Twins: map[gitext.OID][]gitext.OID{oid("d"): oids("d2")}},
		{ID: "4", BICs: oids("e")},
	}
	records := []Record{answer("a", "x", "a"), answer("y", "b"), answer("d", "d2"), {Error: "broke"}}
	var outcomes []Outcome
	for i := range cases {
		outcomes = append(outcomes, Score(i, cases[i], records[i]))
	}
	row := measure("all", outcomes)
	// answers: a x | y b | d d2 = 6, right a b d d2 = 4; BICs 5, found a b d = 3
	near(t, "precision", *row.Precision.Value, 4.0/6)
	near(t, "recall", *row.Recall.Value, 3.0/5)
	near(t, "F1", *row.F1.Value, 2*(4.0/6)*(3.0/5)/(4.0/6+3.0/5))
	near(t, "acc@1", row.Accuracy[0], 2.0/4)
	near(t, "acc@3", row.Accuracy[1], 3.0/4)
	near(t, "ceiling", row.Ceiling, 3.0/5)
	near(t, "ceiling by case", row.CeilingCases, 3.0/4)
	if row.Failed != 1 || row.Empty != 1 || row.Cases != 4 {
		t.Errorf("%d failed, %d empty of %d; want 1, 1 of 4", row.Failed, row.Empty, row.Cases)
	}
}

// Candidates raise the ceiling above the recall, and the answer is part of
// them even if the engine does not list it.
func TestCeiling(t *testing.T) {
	c := Case{BICs: oids("a", "b", "c")}
	o := Score(0, c, Record{Answer: &Prediction{Suspects: []Suspect{{Commit: oid("a")}}, Candidates: oids("b", "x", "b")}})
	if o.Found != 1 || o.Reachable != 2 || o.Pool != 3 || len(o.Marks) != 0 {
		t.Errorf("found %d, reachable %d, pool %d, marks %d; want 1, 2, 3, 0", o.Found, o.Reachable, o.Pool, len(o.Marks))
	}
}

// A ranking is searched beyond the answer, also of an engine that names
// nobody; the first suspect stays what the engine said.
func TestRanking(t *testing.T) {
	c := Case{BICs: oids("a")}
	for _, r := range []struct {
		suspects []Suspect
		rank     int
		top      bool
	}{{nil, 2, false}, {[]Suspect{{Commit: oid("x")}}, 2, false}} {
		p := Prediction{Suspects: r.suspects, Candidates: oids("x", "a"), Ranked: true}
		if o := Score(0, c, Record{Answer: &p}); o.Rank != r.rank || o.Top != r.top || o.Found != 0 {
			t.Errorf("%v: rank %d, top %v", r.suspects, o.Rank, o.Top)
		}
	}
	p := Prediction{Candidates: oids("x", "y"), Ranked: true}
	if o := Score(0, c, Record{Answer: &p}); o.Rank != 0 {
		t.Errorf("rank %d of a commit that is no candidate", o.Rank)
	}
}

// Precision without answers is undefined, and nothing is NaN in a row.
func TestNoAnswers(t *testing.T) {
	row := measure("all", []Outcome{{Evaluated: true, Truths: 1}, {Evaluated: true, Truths: 2}})
	if row.Precision.Value != nil {
		t.Errorf("precision is %v, want none", *row.Precision.Value)
	}
	near(t, "recall", *row.Recall.Value, 0)
	near(t, "F1", *row.F1.Value, 0)
	if empty := measure("none", nil); empty.Recall.Value != nil || empty.Ceiling != 0 {
		t.Errorf("a row of no cases claims recall %v", empty.Recall)
	}
}

// The coverage curve answers the surest cases first and equally sure ones
// together; recall stays over all cases.
func TestCoverage(t *testing.T) {
	outcomes := []Outcome{
		{Evaluated: true, Answered: 1, Right: 1, Found: 1, Truths: 1, Rank: 1, Top: true, Marks: []stat.Mark{{P: 0.9, Right: true}}},
		{Evaluated: true, Answered: 1, Truths: 1, Marks: []stat.Mark{{P: 0.5, Right: false}}},
		{Evaluated: true, Answered: 1, Right: 1, Found: 1, Truths: 1, Rank: 1, Top: true, Marks: []stat.Mark{{P: 0.5, Right: true}}},
		{Evaluated: true, Truths: 1},
	}
	curve := coverage(outcomes)
	if len(curve) != 2 {
		t.Fatalf("%d points, want 2: %v", len(curve), curve)
	}
	near(t, "coverage", curve[0].Coverage, 0.25)
	near(t, "precision", curve[0].Precision, 1)
	near(t, "recall", curve[0].Recall, 0.25)
	near(t, "coverage", curve[1].Coverage, 0.75)
	near(t, "precision", curve[1].Precision, 2.0/3)
	near(t, "risk", curve[1].Risk, 1.0/3)
}

// Only cases that both sides evaluated are compared; the rest is counted.
func TestCompare(t *testing.T) {
	hit := Outcome{Evaluated: true, Answered: 1, Right: 1, Found: 1, Truths: 1, Rank: 1, Top: true}
	miss := Outcome{Evaluated: true, Answered: 1, Truths: 1}
	a := []Outcome{hit, hit, miss, miss, hit, {}}
	b := []Outcome{hit, miss, hit, hit, {}, miss}
	c := compare("a", "b", a, b)
	if c.Cases != 4 || c.OnlyA != 1 || c.OnlyB != 1 || c.BothRight != 1 || c.ARight != 1 || c.BRight != 2 || c.NoneRight != 0 {
		t.Errorf("wrong counts: %+v", c)
	}
	near(t, "p", c.McNemarP, 1)
	near(t, "difference", *c.F1Diff.Value, 0.75-0.5)
	same := compare("a", "a", a, a)
	if *same.F1Diff.Low != 0 || *same.F1Diff.High != 0 || same.F1DiffP != 1 {
		t.Errorf("a run differs from itself: %+v", same)
	}
}

// randomResults are 120 cases with two algorithms, some skipped and failed.
func randomResults(seed uint64) *Results {
	random := rand.New(rand.NewPCG(seed, 1))
	res := &Results{Algorithms: []string{"b", "rank"}, Outcomes: map[string][]Outcome{}}
	for i := range 120 {
		age := random.Float64() * 3000
		c := Case{ID: fmt.Sprintf("case-%03d", i), Repo: fmt.Sprintf("o/r%d", i%7), Fix: oid(fmt.Sprint("f", i)), File: "x.jsonl",
			BICs: oids("a", "b")[:1+random.IntN(2)], Ghost: i%9 == 0, AgeDays: &age, Langs: []string{"C", "py"}[:random.IntN(3)],
			LabelSource: []string{"trailer:Fixes", "rosa2021"}[i%2]}
		res.Cases = append(res.Cases, c)
		for _, name := range res.Algorithms {
			rec := answer([]string{"a", "b", "x", "y"}[random.IntN(3) : 2+random.IntN(3)]...)
			for j := range rec.Answer.Suspects {
				rec.Answer.Suspects[j].Probability = float64(random.IntN(20)) / 20
			}
			switch {
			case i%20 == 3:
				rec = Record{Skip: "no repository"}
			case i%20 == 4:
				rec = Record{Error: "broke"}
			}
			res.Outcomes[name] = append(res.Outcomes[name], Score(i, c, rec))
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
	shuffled.Outcomes = map[string][]Outcome{}
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

// Every share is in [0, 1], intervals hold their value, recall is at most the
// ceiling, and acc@k does not fall with k.
func TestBounds(t *testing.T) {
	for seed := range uint64(3) {
		r := NewReport(About{}, randomResults(seed))
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

func checkBounds(t *testing.T, row Row) {
	t.Helper()
	for _, e := range []stat.Estimate{row.Precision, row.Recall, row.F1} {
		if e.Value != nil && (*e.Value < 0 || *e.Value > 1) {
			t.Errorf("%s: %v out of bounds", row.Name, e)
		}
		if e.Low != nil && (*e.Low > *e.Value || *e.High < *e.Value) {
			t.Errorf("%s: %v outside its interval", row.Name, e)
		}
	}
	if row.Recall.Value != nil && *row.Recall.Value > row.Ceiling+1e-12 {
		t.Errorf("%s: recall %v above the ceiling %v", row.Name, row.Recall, row.Ceiling)
	}
	if !slices.IsSorted(row.Accuracy) || row.Accuracy[2] > 1 {
		t.Errorf("%s: acc@k is %v", row.Name, row.Accuracy)
	}
}
