package fixeval

import (
	"context"
	"slices"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// The category, and the commits to blame, are read from the repository.
func TestFacts(t *testing.T) {
	b := newBug(t)
	_, ask := b.begin(Options{Trial: local, Repair: func(context.Context, Inquiry) (*fix.Answer, error) { return &fix.Answer{}, nil }})
	a, err := ask(t.Context(), "offline")
	if err != nil {
		t.Fatal(err)
	}
	p := a.(Prediction)
	if p.Facts == nil || *p.Facts != (Facts{Category: "SL", Blameable: true, BlameCommits: 1}) {
		t.Fatalf("%+v", p.Facts)
	}
	if row := (Task{}).Score(b.c, a).Row.(scoreRow); row.Contradicts != nil || row.Category != "SL" || row.Blame != "blameable" {
		t.Errorf("%+v", row)
	}
	no, other := false, b.c
	other.Category, other.Blameable = "MFMH", &no
	score := Task{}.Score(other, a)
	if row := score.Row.(scoreRow); !slices.Equal(row.Contradicts, []string{"category", "blameable"}) || row.Category != "SL" {
		t.Errorf("%+v", row)
	}
	res := &eval.Results{Cases: []eval.Case{other}, Algorithms: []string{"offline"}, Outcomes: map[string][]eval.Outcome{"offline": {{Evaluated: true, Score: score}}}}
	if n := Contradicted(res); n != 1 {
		t.Errorf("%d cases are contradicted", n)
	}
	tables := Task{}.Tables(res, "offline")
	if len(tables) != 1 || len(tables[0].Rows) != 1 || tables[0].Rows[0].Name != "1" || *tables[0].Rows[0].Values[1].Value != 1 || *tables[0].Rows[0].Values[2].Value != 0 {
		t.Errorf("%+v", tables)
	}
	if more := (Task{}).Tables(res, "locate"); more != nil {
		t.Errorf("the table is shown again: %+v", more)
	}
}

func TestCategories(t *testing.T) {
	at := func(path string, first, last int) change {
		return change{path: path, lines: gitext.LineRange{Start: first, End: last}}
	}
	for _, c := range []struct {
		changes []change
		added   int
		want    string
	}{
		{[]change{at("a", 3, 3)}, 1, "SL"}, {[]change{at("a", 3, 3)}, 0, "SL"}, {[]change{at("a", 3, 2)}, 1, "SL"},
		{[]change{at("a", 3, 4)}, 1, "SH"}, {[]change{at("a", 3, 3)}, 2, "SH"}, {[]change{at("a", 3, 2)}, 9, "SH"},
		{[]change{at("a", 3, 3), at("a", 9, 8)}, 2, "SFMH"}, {[]change{at("a", 3, 3), at("b", 3, 3)}, 2, "MFMH"},
	} {
		if got := categoryOf(c.changes, c.added); got != c.want {
			t.Errorf("%v, %d added: %s, want %s", c.changes, c.added, got, c.want)
		}
	}
	diff := "--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n a\n-b\n+c\n++++\n"
	if n := addedLines([]byte(diff)); n != 2 {
		t.Errorf("%d added lines", n)
	}
}
