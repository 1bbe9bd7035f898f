package eval

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model"
)

// configured is the toy task with algorithms that are configurations of one method. A
// question is easy or hard by its repository.
type configured struct{ toy }

func (configured) Sheet() *Sheet {
	s := *toySheet
	s.Annotated = false
	s.Dimensions = []Dimension{{Name: "repository", Of: ByRepository.Of, Order: []string{"easy", "hard"}}}
	s.Configurations = &Configurations{Right: "solved", Wrong: "not solved", By: "repository"}
	return &s
}

// solvedBy returns the results of algorithms. Each algorithm solves the questions in its word:
// "01" means questions 0 and 1. The questions from 4 on are hard. A model takes more turns for a
// later algorithm and for a wrong answer.
func solvedBy(questions int, solved ...string) *Results {
	res := &Results{Outcomes: map[string][]Outcome{}}
	for i := range questions {
		res.Cases = append(res.Cases, question{ID: fmt.Sprint("q", i), Repo: map[bool]string{true: "hard", false: "easy"}[i >= 4], Want: "a"})
	}
	for k, which := range solved {
		name := fmt.Sprint("m", k)
		res.Algorithms = append(res.Algorithms, name)
		for i, c := range res.Cases {
			r := reply{Words: []string{"x"}, Work: &Work{Turns: 10 + i + 20*k, Usage: model.Usage{Uncached: int64(100 * (i + 1)), Output: 5}}}
			if strings.Contains(which, fmt.Sprint(i)) {
				r.Words = []string{"a"}
			} else {
				r.Work.Turns = 50
			}
			res.Outcomes[name] = append(res.Outcomes[name], Outcome{Case: i, Evaluated: true, Seconds: float64(i), Score: configured{}.Score(c, r)})
		}
	}
	return res
}

// The sets are the regions of a Venn diagram, counted by hand, with the cases in them.
func TestOverlap(t *testing.T) {
	res := solvedBy(8, "0124", "0135", "01")
	res.Outcomes["m2"][1].Evaluated = false // not evaluated by all, so it counts nowhere
	o := NewReport(configured{}, About{}, res).Overlap
	if o.Cases != 7 || o.Any.All != 5 || !slices.Equal(o.Strata, []string{"easy", "hard"}) || !slices.Equal(o.Any.ByStratum, []int{3, 2}) {
		t.Errorf("%+v", o)
	}
	var got []string
	for _, s := range o.Sets {
		got = append(got, fmt.Sprint(s.name(), " ", s.All, s.ByStratum, s.IDs))
	}
	want := []string{"m0 2 [1 1] [q2 q4]", "m1 2 [1 1] [q3 q5]", "none 2 [0 2] [q6 q7]", "m0 & m1 & m2 1 [1 0] [q0]"}
	if !slices.Equal(got, want) {
		t.Errorf("sets %q, want %q", got, want)
	}
	for i, want := range []string{"{3 [2 1]} {2 [1 1]} {0 [0 0]}", "{3 [2 1]} {2 [1 1]} {2 [1 1]}", "{1 [1 0]} {0 [0 0]} {0 [0 0]}"} {
		if a := o.Algorithms[i]; fmt.Sprint(a.Right, a.Only, a.NotByFirst) != want {
			t.Errorf("%s: %v, want %s", a.Name, a, want)
		}
	}
}

// The effort is separate for right and for wrong answers.
func TestEffortByOutcome(t *testing.T) {
	r := NewReport(configured{}, About{}, solvedBy(6, "0123", "0"))
	right, wrong := r.Algorithms[0].ByOutcome[0], r.Algorithms[0].ByOutcome[1]
	if right.Cases != 4 || right.Turns.Median != 11.5 || right.Tokens.Mean != 255 || right.Priced != 0 || right.Seconds.Total != 6 {
		t.Errorf("right: %+v", right)
	}
	if wrong.Cases != 2 || wrong.Turns.Median != 50 || wrong.Right {
		t.Errorf("wrong: %+v", wrong)
	}
}

// The tests use the cases that all algorithms get right. All seven differences to the first
// algorithm have the same sign, so that the exact p-value is 2 of 128 ways. Tokens do not differ,
// so that no pair is tested.
func TestEffortTests(t *testing.T) {
	tests := NewReport(configured{}, About{}, solvedBy(9, "0123456", "01234567", "01234568")).EffortTests
	if tests == nil || tests.Threshold != 0.025 {
		t.Fatalf("%+v", tests)
	}
	turns := tests.Rows[0]
	if turns.Stratum != "all" || turns.Measure != "turns" || turns.Cases != 7 || !slices.Equal(turns.Medians, []float64{13, 33, 53}) {
		t.Errorf("%+v", turns)
	}
	near(t, "Friedman's p", *turns.Friedman, 0.0009118819655545162) // exp(-7): the statistic is 14, with 2 degrees
	for _, p := range turns.Wilcoxon {
		near(t, "Wilcoxon's p", *p, 2.0/128)
	}
	if tokens := tests.Rows[1]; tokens.Measure != "tokens" || *tokens.Friedman != 1 || tokens.Wilcoxon[0] != nil || tokens.Wilcoxon[1] != nil {
		t.Errorf("%+v", tokens)
	}
	for _, row := range tests.Rows {
		if row.Measure == "US dollars" {
			t.Error("costs are compared, and none is known")
		}
	}
	pair := NewReport(configured{}, About{}, solvedBy(4, "0123", "0123")).EffortTests
	if row := pair.Rows[0]; row.Friedman != nil || len(row.Wilcoxon) != 1 || pair.Threshold != 0.05 {
		t.Errorf("two algorithms: %+v", row)
	}
	near(t, "of four", *pair.Rows[0].Wilcoxon[0], 2.0/16)
}

// A report has no comparison if the task has no configurations, if there is one algorithm, or if
// the algorithms have no case in common.
func TestNoConfigurations(t *testing.T) {
	if r := NewReport(toy{}, About{}, solvedBy(3, "0", "1")); r.Overlap != nil || r.EffortTests != nil || r.Algorithms[0].ByOutcome != nil {
		t.Error("a task that asks for no comparison has one")
	}
	if r := NewReport(configured{}, About{}, solvedBy(3, "01")); r.Overlap != nil || r.EffortTests != nil {
		t.Error("one algorithm is compared")
	}
	if r := NewReport(configured{}, About{}, solvedBy(3, "0", "1")); r.EffortTests != nil {
		t.Errorf("no common case: %+v", r.EffortTests)
	}
	if newUpset(NewReport(configured{}, About{}, solvedBy(3, "", "")).Overlap) != nil {
		t.Error("a plot of nothing")
	}
}

// The comparison is in all forms of a report, and the plot has a column for each set and a
// filled dot for each of its algorithms.
func TestConfigurationForms(t *testing.T) {
	r := NewReport(configured{}, About{Run: "r"}, solvedBy(9, "0123456", "01234567", "01234568"))
	for name, want := range map[string][]string{
		"text": {"solved ", "not by m0", "solved by exactly", "m0 & m1 & m2", "m0, solved", "median on questions solved by all", "p 0.016 *", "Bonferroni, 2 tests"},
		"page": {"<svg class=\"upset\"", "solved by exactly", "Bonferroni, 2 tests", "Effort by outcome"},
		"JSON": {`"overlap":{"cases":9`, `"effort_tests":{"algorithms"`, `"effort_by_outcome":[{"right":true`},
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
		if in, out := strings.Count(b.String(), `<circle class="in"`), strings.Count(b.String(), `<circle class="out"`); name == "page" && (in != 3+1+1 || out != 2+2) {
			t.Errorf("%d filled and %d empty dots", in, out)
		}
	}
}
