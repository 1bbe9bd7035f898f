package szzeval

import (
	"slices"
	"testing"
	"time"

	"git-agent/agent/eval"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func yes(b bool) *bool { return &b }

// Ghost and cross-file are read from the history, regardless of the case's fields.
func TestFacts(t *testing.T) {
	h := gittest.New(t)
	h.Commit("start", gittest.Files{"a.c": "1\n2\n", "b.c": "1\n"})
	inA := h.Commit("a", gittest.Files{"a.c": "1\n3\n"})
	inB := h.Commit("b", gittest.Files{"b.c": "2\n"})
	changes := h.Commit("change", gittest.Files{"a.c": "1\n2\n"})
	adds := h.Commit("add", gittest.Files{"a.c": "1\n2\n3\n"})
	for name, test := range map[string]struct {
		of   Case
		want [2]bool // ghost, cross-file
		bad  []string
	}{
		"a change of the same file":   {Case{Fix: changes, BICs: []gitext.OID{inA}}, [2]bool{false, false}, nil},
		"a ghost":                     {Case{Fix: adds, BICs: []gitext.OID{inA}, Ghost: yes(true)}, [2]bool{true, false}, nil},
		"another file":                {Case{Fix: changes, BICs: []gitext.OID{inB}, CrossFile: yes(true)}, [2]bool{false, true}, nil},
		"one of two in the same file": {Case{Fix: changes, BICs: []gitext.OID{inB, inA}}, [2]bool{false, false}, nil},
		"a case that is wrong":        {Case{Fix: adds, BICs: []gitext.OID{inB}, Ghost: yes(false), CrossFile: yes(false)}, [2]bool{true, true}, []string{"ghost", "cross_file"}},
	} {
		c := test.of
		c.ID, c.Repo = name, "o/r"
		s, err := Open(Options{})(t.Context(), h.Dir, 1)
		if err != nil {
			t.Fatal(err)
		}
		ask, _, err := s.Begin(t.Context(), c)
		if err != nil {
			t.Fatal(name, err)
		}
		a, err := ask(t.Context(), "b")
		if err != nil {
			t.Fatal(name, err)
		}
		s.Close()
		row := Task{}.Score(c, a).Row.(scoreRow)
		if row.Ghost != test.want[0] || row.CrossFile != test.want[1] || !slices.Equal(row.Contradicts, test.bad) {
			t.Errorf("%s: %+v", name, row)
		}
		// Facts about other labels do not count.
		c.BICs = []gitext.OID{"0123456789012345678901234567890123456789"}
		if row := (Task{}).Score(c, a).Row.(scoreRow); len(row.Contradicts) > 0 {
			t.Errorf("%s with other labels: %+v", name, row)
		}
	}
}

// A wrong answer has a type, by the named commits and by their dates.
func TestFailureTypes(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	oid := gitext.OID("0123456789012345678901234567890123456789")
	f := Facts{First: day(10), Last: day(12), BICs: []gitext.OID{oid}}
	cross := f
	cross.CrossFile = true
	at := func(n int) Prediction {
		d := day(n)
		return Prediction{Suspects: []Suspect{{Commit: "1"}}, FirstDate: &d}
	}
	for _, c := range []struct {
		f    Facts
		p    Prediction
		want string
	}{
		{f, Prediction{}, failEmpty}, {cross, Prediction{}, failEmpty}, {cross, at(1), failCross}, {f, at(13), failLater}, {f, at(9), failOlder},
		{f, at(11), failBeing}, {f, Prediction{Suspects: []Suspect{{Commit: "1"}}}, failOther}, {Facts{}, at(1), failOther},
	} {
		if got := failureOf(c.f, c.p); got != c.want {
			t.Errorf("%+v, %+v: %q, want %q", c.f, c.p, got, c.want)
		}
	}
	res := &eval.Results{Outcomes: map[string][]eval.Outcome{"x": nil}}
	c := Case{ID: "c", Repo: "o/r", Fix: oid, BICs: f.BICs}
	for _, p := range []Prediction{at(13), at(14), {}, {Suspects: []Suspect{{Commit: oid}}}} {
		p.Facts = &f
		if len(p.Suspects) > 0 {
			p.Suspects[0].Probability = 0.9
		}
		res.Cases = append(res.Cases, c)
		res.Outcomes["x"] = append(res.Outcomes["x"], eval.Outcome{Evaluated: true, Score: Task{}.Score(c, p)})
	}
	tables := Task{}.Tables(res, "x")
	if len(tables) != 1 || len(tables[0].Rows) != 2 {
		t.Fatalf("%+v", tables)
	}
	for i, want := range []struct {
		name               string
		cases, share, sure float64
	}{{failEmpty, 1, 1. / 3, 0}, {failLater, 2, 2. / 3, 2}} {
		row := tables[0].Rows[i]
		if row.Name != want.name || *row.Values[0].Value != want.cases || *row.Values[1].Value != want.share || *row.Values[2].Value != want.sure {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}
