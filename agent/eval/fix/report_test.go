package fixeval

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
)

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// judged returns an answer with patches of these verdicts.
func judged(verdicts ...fix.Verdict) Prediction {
	p := Prediction{Engine: Agent, Reproduced: fix.Failing, Claimed: len(verdicts), Tried: 2 * len(verdicts)}
	for _, v := range verdicts {
		p.Patches = append(p.Patches, Judged{Verdict: v})
	}
	return p
}

// results scores one answer of each algorithm for each case.
func results(t Task, cases []Case, answers map[string][]eval.Answer, order ...string) *eval.Results {
	res := &eval.Results{Algorithms: order, Outcomes: map[string][]eval.Outcome{}}
	for _, c := range cases {
		res.Cases = append(res.Cases, c)
	}
	for _, name := range order {
		for i, a := range answers[name] {
			res.Outcomes[name] = append(res.Outcomes[name], eval.Outcome{Case: i, Evaluated: true, Failed: a == nil,
				Score: t.Score(cases[i], a), Unanswered: t.Score(cases[i], nil).Tally})
		}
	}
	return res
}

// sixCases have known numbers: right with the first patch and equal to the developers' fix, right
// with the first, with the second and with the fourth patch, declined, and failed.
func sixCases() ([]Case, []eval.Answer) {
	yes, no := true, false
	var cases []Case
	for i, category := range []string{"SL", "SH", "SFMH", "MFMH", "SL", ""} {
		cases = append(cases, Case{ID: fmt.Sprint(i), Repo: "o/r", Category: category, Lang: "go", Blameable: &yes})
	}
	cases[1].Blameable, cases[5].Blameable, cases[4].Regression = &no, nil, "yes"
	exact := judged(fix.Plausible)
	exact.Patches[0] = Judged{Verdict: fix.Plausible, Exact: true, SameFiles: true, SameFunctions: true}
	exact.FunctionRank, exact.FileRank, exact.Located = 1, 1, 3
	second := judged(fix.Regresses, fix.Plausible)
	second.Patches[1].Exact = true // counts only for the first
	second.FunctionRank, second.FileRank, second.Located = 4, 2, 9
	declined := Prediction{Engine: Agent, Declined: "flaky", Reproduced: fix.Flaky}
	return cases, []eval.Answer{exact, judged(fix.Plausible, fix.Plausible), second, judged(fix.Fails, fix.Fails, fix.Fails, fix.Plausible), declined, nil}
}

// The metrics are right on cases with known numbers.
func TestMetrics(t *testing.T) {
	cases, answers := sixCases()
	r := eval.NewReport(Task{}, eval.About{}, results(Task{}, cases, map[string][]eval.Answer{"agent": answers}, "agent"))
	row := r.Algorithms[0].Overall
	for name, want := range map[string]float64{
		"plausible_at_1": 2.0 / 6, "plausible_at_3": 3.0 / 6, "plausible_at_5": 4.0 / 6, "exact": 1.0 / 6, "same_functions": 1.0 / 6, "same_files": 1.0 / 6,
		"refuted": 2.0 / 4, "declined": 1.0 / 6, "reproduced": 4.0 / 6, "mean_tried": 2 * (1 + 2 + 2 + 4) / 6.0,
		"function_at_1": 1.0 / 6, "function_at_3": 1.0 / 6, "function_at_5": 2.0 / 6, "function_at_10": 2.0 / 6, "file_at_1": 1.0 / 6, "file_at_3": 2.0 / 6, "mean_located": 12.0 / 6,
	} {
		near(t, name, *row.Value(name).Value, want)
	}
	if row.Empty != 2 || row.Failed != 1 {
		t.Errorf("%d empty, %d failed", row.Empty, row.Failed)
	}
}

// An engine that gets the lines of the fix has no metrics of localization, and one that only
// locates has none of repair. If all engines only locate, the report covers localization.
func TestApart(t *testing.T) {
	cases := []Case{{ID: "1"}, {ID: "2"}}
	given := judged(fix.Plausible)
	given.Given, given.FunctionRank = true, 1
	found := Prediction{Engine: Locate, FunctionRank: 1, FileRank: 1, Located: 4}
	late := Prediction{Engine: Locate, FunctionRank: 7, FileRank: 3, Located: 8}
	r := eval.NewReport(Task{}, eval.About{}, results(Task{}, cases, map[string][]eval.Answer{"agent-given": {given, given}, "locate": {found, late}}, "agent-given", "locate"))
	if v := r.Algorithms[0].Overall.Value("function_at_1").Value; v != nil {
		t.Errorf("given: %v", *v)
	}
	if v := r.Algorithms[1].Overall.Value("plausible_at_1").Value; v != nil {
		t.Errorf("locate: %v", *v)
	}
	if len(r.Comparisons) > 0 || r.Overlap != nil || r.Algorithms[1].ByOutcome != nil {
		t.Error("localization is compared with repair")
	}
	task := TaskFor([]string{"locate"})
	if task != (Task{Localization: true}) || TaskFor([]string{"locate", "offline"}).Localization || TaskFor(nil).Localization {
		t.Error("the wrong task")
	}
	row := eval.NewReport(task, eval.About{}, results(task, cases, map[string][]eval.Answer{"locate": {found, late}}, "locate")).Algorithms[0].Overall
	for name, want := range map[string]float64{"function_at_1": 0.5, "function_at_5": 0.5, "function_at_10": 1, "file_at_1": 0.5, "file_at_3": 1, "mean_located": 6} {
		near(t, name, *row.Value(name).Value, want)
	}
	if got := task.Score(cases[0], nil).Tally; got[repairs] != 0 || got[places] != 1 {
		t.Errorf("no answer: %v", got)
	}
}

// The strata are those that the report promises.
func TestStrata(t *testing.T) {
	cases, answers := sixCases()
	r := eval.NewReport(Task{}, eval.About{}, results(Task{}, cases, map[string][]eval.Answer{"agent": answers}, "agent"))
	got := map[string][]string{}
	for _, d := range r.Algorithms[0].By {
		for _, row := range d.Rows {
			got[d.Dimension] = append(got[d.Dimension], row.Name)
		}
	}
	for name, want := range map[string][]string{
		"category": {"SL", "SH", "SFMH", "MFMH", "not stated"}, "blame": {"blameable", "blameless", "not stated"},
		"language": {"go"}, "regression": {"yes", "not stated"}, "kind of fix": {"not stated"},
	} {
		if !slices.Equal(got[name], want) {
			t.Errorf("strata of %s: %q, want %q", name, got[name], want)
		}
	}
}

// The report has all forms, compares the configurations by category, and has no word of
// another task.
func TestForms(t *testing.T) {
	cases, answers := sixCases()
	other := slices.Clone(answers)
	other[0], other[2] = answers[2], answers[0]
	r := eval.NewReport(Task{}, eval.About{Run: "r"}, results(Task{}, cases, map[string][]eval.Answer{"agent-none": answers, "agent-fl_diff": other}, "agent-none", "agent-fl_diff"))
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text": func(b *bytes.Buffer) error { return r.WriteText(b) },
		"page": func(b *bytes.Buffer) error { return r.WriteHTML(b) },
		"JSON": func(b *bytes.Buffer) error { return r.WriteJSON(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"bug-introducing", "recall", "F1", "NaN", "hints in messages", "crash"} {
			if strings.Contains(b.String(), word) {
				t.Errorf("the %s has %q:\n%s", name, word, b.String())
			}
		}
		if !strings.Contains(b.String(), "MFMH") || !strings.Contains(strings.ReplaceAll(b.String(), `"`, ""), "agent-fl_diff") {
			t.Errorf("the %s is no report of this task:\n%s", name, b.String())
		}
	}
}

// A prediction is the same after it was stored.
func TestReadKept(t *testing.T) {
	c, a, err := Task{}.ReadKept([]byte(`{"id":"1","repo":"o/r"}`), []byte(`{"engine":"agent","claimed":1,"patches":[{"verdict":"plausible","exact":true}],"judging":2.5}`))
	if err != nil || c.Head().ID != "1" {
		t.Fatalf("%v, %+v", err, c)
	}
	if s := (Task{}).Score(c, a); !s.Right || s.Judging != 2.5 || s.Tally[exact] != 1 {
		t.Errorf("%+v", s)
	}
	if _, a, err := (Task{}).ReadKept([]byte(`{}`), nil); a != nil || err != nil {
		t.Errorf("no answer: %v, %v", a, err)
	}
}
