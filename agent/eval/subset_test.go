package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// sized is the toy task with strata by the number of words in an answer, and with a
// metric over the cases with a probability.
type sized struct{ toy }

func (sized) Sheet() *Sheet {
	s := *toySheet
	s.Annotated = false
	s.Metrics = append(slices.Clone(s.Metrics), Metric{Name: "sure", Title: "sure", Brief: true, Of: func(t Tally, _ int) float64 {
		if len(t) == 0 || t[2] == 0 {
			return math.NaN() // no case has a right word
		}
		return 1
	}})
	s.Dimensions = []Dimension{{Name: "words", Order: []string{"2", "1", "0"}, OfScore: func(s Score) []string {
		if len(s.Tally) == 0 {
			return []string{"none"}
		}
		return []string{fmt.Sprint(s.Tally[1])}
	}}}
	return &s
}

// answered returns the results of two algorithms on four cases. The first algorithm
// failed in one of them.
func answered() *Results {
	res := &Results{Algorithms: []string{"a", "b"}, Outcomes: map[string][]Outcome{},
		Skipped: []Skipped{{ID: "q3", Reason: "gone"}}, Failed: []Failed{{ID: "q2", Algorithm: "a", Error: "broken"}}, Partial: []Partial{{ID: "q0"}}}
	words := map[string][][]string{
		"a": {{"x", "right"}, {"right"}, nil, nil},
		"b": {{"x"}, {"x"}, {"x", "y"}, nil},
	}
	for i := range 4 {
		res.Cases = append(res.Cases, question{ID: fmt.Sprintf("q%d", i), Repo: "o/r", Want: "right"})
	}
	for name, answers := range words {
		for i, list := range answers {
			rec := Record{Case: res.Cases[i], Answer: reply{Words: list}}
			if name == "a" && i == 2 {
				rec.Answer, rec.Error = nil, "broken"
			}
			if i == 3 {
				rec.Skip = "gone"
			}
			res.Outcomes[name] = append(res.Outcomes[name], outcome(sized{}, i, res.Cases[i], rec))
		}
	}
	return res
}

// Strata by answers are the same for all algorithms: they follow the first algorithm that did not
// fail.
func TestStrataByAnswers(t *testing.T) {
	r := NewReport(sized{}, About{}, answered())
	for _, a := range r.Algorithms {
		var got []string
		for _, row := range a.By[0].Rows {
			got = append(got, fmt.Sprint(row.Name, ":", row.Cases))
		}
		if !slices.Equal(got, []string{"2:2", "1:1"}) {
			t.Errorf("strata of %s: %q", a.Name, got)
		}
	}
}

// A metric that is undefined for a set of cases is shown as undefined. A report of a task without
// annotations does not mention hints.
func TestUndefinedMetric(t *testing.T) {
	var b strings.Builder
	res := answered()
	res.Algorithms = []string{"b"}
	if err := NewReport(sized{}, About{}, res).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "b ") })
	if at < 0 || !strings.HasSuffix(lines[0], "1 skipped") || !strings.Contains(strings.Join(strings.Fields(lines[at]), " "), " 1 - 0 0 3 ") {
		t.Errorf("report:\n%s", b.String())
	}
	var page strings.Builder
	if err := NewReport(sized{}, About{}, res).WriteHTML(&page); err != nil || strings.Contains(page.String(), "Hints") {
		t.Errorf("%v, the page speaks of hints", err)
	}
}

// Only keeps the chosen cases with all their data.
func TestOnly(t *testing.T) {
	res := answered().Only(func(c Case) bool { return c.Head().ID == "q0" || c.Head().ID == "q2" })
	if len(res.Cases) != 2 || len(res.Failed) != 1 || len(res.Partial) != 1 || len(res.Skipped) != 0 {
		t.Fatalf("%+v", res)
	}
	for name, rows := range res.Outcomes {
		if len(rows) != 2 || rows[0].Case != 0 || rows[1].Case != 1 || rows[1].Failed != (name == "a") {
			t.Errorf("%s: %+v", name, rows)
		}
	}
	none := answered().Only(func(Case) bool { return false })
	if r := NewReport(sized{}, About{}, none); r.Cases != 0 || len(r.Algorithms) != 2 || r.Algorithms[0].Overall.Cases != 0 {
		t.Errorf("%+v", r)
	}
}
