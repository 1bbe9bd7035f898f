package eval

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

// The coverage curve answers the surest cases first and equally sure ones
// together. Recall is always computed over all cases.
func TestCoverage(t *testing.T) {
	outcomes := []Outcome{scored(true, 0.9), scored(false, 0.5), scored(true, 0.5), {Evaluated: true, Score: toy{}.Score(question{}, nil), Unanswered: Tally{1, 0, 0}}}
	curve := coverage(toySheet, outcomes)
	if len(curve) != 2 {
		t.Fatalf("%d points, want 2: %v", len(curve), curve)
	}
	precision, recall := 0, 1
	near(t, "coverage", curve[0].Coverage, 0.25)
	near(t, "precision", curve[0].Values[precision], 1)
	near(t, "recall", curve[0].Values[recall], 0.25)
	near(t, "coverage", curve[1].Coverage, 0.75)
	near(t, "precision", curve[1].Values[precision], 2.0/3)
	near(t, "recall", curve[1].Values[recall], 2.0/4)
	near(t, "risk", curve[1].Risk, 1.0/3)
}

// Only cases that both sides evaluated are compared. The others are counted.
func TestCompare(t *testing.T) {
	hit, miss := scored(true, 0), scored(false, 0)
	a := []Outcome{hit, hit, miss, miss, hit, {}}
	b := []Outcome{hit, miss, hit, hit, {}, miss}
	c := compare(toySheet, "a", "b", a, b)
	if c.Cases != 4 || c.OnlyA != 1 || c.OnlyB != 1 || c.BothRight != 1 || c.ARight != 1 || c.BRight != 2 || c.NoneRight != 0 {
		t.Errorf("wrong counts: %+v", c)
	}
	near(t, "p", c.McNemarP, 1)
	near(t, "difference", *c.Diff.Value, 0.75-0.5)
	same := compare(toySheet, "a", "a", a, a)
	if *same.Diff.Low != 0 || *same.Diff.High != 0 || same.DiffP != 1 {
		t.Errorf("a run differs from itself: %+v", same)
	}
}

// A report uses the metrics and the words of its own task and of no other.
func TestReportsSpeakOfTheTask(t *testing.T) {
	res := &Results{Cases: []Case{question{ID: "1", Repo: "o/r"}, question{ID: "2", Repo: "o/s"}}, Algorithms: []string{"a", "b"},
		Partial: []Partial{{ID: "1", Absent: []string{"z"}}},
		Outcomes: map[string][]Outcome{
			"a": {asked(2, 100, nil, "git_blame", "report"), asked(2, 100, nil, "report")},
			"b": {scored(true, 0.5), scored(false, 0.3)},
		}}
	r := NewReport(toy{}, About{}, res)
	var text, page, data strings.Builder
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page), r.WriteJSON(&data)); err != nil {
		t.Fatal(err)
	}
	foreign := regexp.MustCompile(`(?i)\bF1\b|suspect|bug-introducing|\bfix(es)?\b|\bszz\b|acc@`)
	for name, form := range map[string]string{"text": text.String(), "page": page.String(), "JSON": data.String()} {
		if word := foreign.FindString(form); word != "" {
			t.Errorf("the %s has %q:\n%s", name, word, form)
		}
	}
	for form, want := range map[*strings.Builder]string{
		&text: "effort of a, by question", &page: "<h1>toy: words</h1>", &data: `"score_difference":{"value":`,
	} {
		if !strings.Contains(form.String(), want) {
			t.Errorf("no %q in\n%s", want, form)
		}
	}
}
