package eval

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A union solves the questions that one of its algorithms solves, and costs the sum of their
// costs, computed by hand: the tokens of question i are 100(i+1)+5 for each algorithm.
func TestUnions(t *testing.T) {
	res := solvedBy(6, "01", "14", "5")
	res.Algorithms = append(res.Algorithms, "plain")
	for i, c := range res.Cases { // the algorithm asks no model
		res.Outcomes["plain"] = append(res.Outcomes["plain"], Outcome{Case: i, Evaluated: true, Score: configured{}.Score(c, reply{Words: []string{"a"}})})
	}
	r := NewReport(configured{}, About{}, res)
	var got []string
	for _, row := range r.Unions.Rows {
		line := row.Name + ":"
		for _, v := range row.Values {
			line += " " + fmt.Sprintf("%.3g", *v.Value)
		}
		got = append(got, line)
	}
	want := []string{ // questions, solved, share, tokens; share and tokens of the easy and the hard ones
		"m0: 6 2 0.333 355 0.5 255 0 555", "m1: 6 2 0.333 355 0.25 255 0.5 555", "m2: 6 1 0.167 355 0 255 0.5 555",
		"m0 or m1: 6 3 0.5 710 0.5 510 0.5 1.11e+03", "m0 or m2: 6 3 0.5 710 0.5 510 0.5 1.11e+03", "m1 or m2: 6 3 0.5 710 0.25 510 1 1.11e+03",
		"m0 or m1 or m2: 6 4 0.667 1.06e+03 0.5 765 1 1.66e+03",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	usd := 0.5
	for _, o := range res.Outcomes["m0"] {
		o.Work.Usage.CostUSD = &usd
	}
	r = NewReport(configured{}, About{}, res)
	at := slices.IndexFunc(r.Unions.Columns, func(c Column) bool { return c.Name == "cost_usd" })
	if at < 0 || *r.Unions.Rows[0].Values[at].Value != 0.5 || r.Unions.Rows[3].Values[at].Value != nil {
		t.Errorf("costs of %+v", r.Unions)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "solved by any of") {
		t.Errorf("%v, no table in\n%s", err, b.String())
	}
	if n := len(subsetsOf(7)); n != 7+21+1 {
		t.Errorf("%d subsets of 7", n)
	}
	if r := NewReport(configured{}, About{}, solvedBy(3, "01")); r.Unions != nil {
		t.Errorf("one algorithm has unions: %+v", r.Unions)
	}
}
