package eval

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/model"
)

// asked returns the outcome of a case for which a model was asked.
func asked(turns int, prompt int64, usd *float64, tools ...string) Outcome {
	w := &Work{Status: []string{agent.StatusFound}, Turns: turns, Calls: len(tools), Types: []string{"omission"},
		Usage: model.Usage{Uncached: prompt, CacheRead: 10, Output: 5, CostUSD: usd}}
	for _, names := range tools {
		w.Tools = append(w.Tools, strings.Fields(names))
	}
	return Outcome{Evaluated: true, Seconds: float64(turns), Score: Score{Work: w}}
}

// The numbers of the table equal those computed by hand.
func TestEffortByHand(t *testing.T) {
	usd := 0.5
	e := newEffort([]Outcome{
		asked(1, 90, &usd, "report"),
		asked(3, 190, nil, "git_blame git_show", "git_show", "report"),
		{Evaluated: true, Seconds: 100}, // an annotation answered, so no model was asked
	})
	if e.Cases != 2 || e.Turns.Mean != 2 || e.Turns.Total != 4 || e.Prompt.Median != 150 || e.Cached.Total != 20 {
		t.Errorf("effort %+v", e)
	}
	if e.Priced != 1 || e.CostUSD.Total != 0.5 || e.Seconds.Total != 4 || e.Types["omission"] != 2 || e.Status["found"] != 2 {
		t.Errorf("effort %+v", e)
	}
	want := []ToolUse{
		{"git_show", []int{1, 1, 0}, 2}, {"report", []int{1, 0, 1}, 2}, {"git_blame", []int{1, 0, 0}, 1},
	}
	for i, use := range e.Tools {
		if use.Name != want[i].Name || use.Total != want[i].Total || !slices.Equal(use.ByTurn, want[i].ByTurn) {
			t.Errorf("tool %d is %v, want %v", i, use, want[i])
		}
	}
	if newEffort([]Outcome{{Evaluated: true}}) != nil {
		t.Error("effort without a model")
	}
}

// Every form of a report shows the effort, and an unknown cost is not shown as
// zero.
func TestEffortInReports(t *testing.T) {
	res := &Results{Cases: []Case{question{ID: "a"}, question{ID: "b"}}, Algorithms: []string{"agent"},
		Outcomes: map[string][]Outcome{"agent": {asked(2, 100, nil, "git_blame", "report"), asked(4, 300, nil, "git_blame", "git_grep", "git_show", "report")}}}
	r := NewReport(toy{}, About{}, res)
	var text, page, data strings.Builder
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page), r.WriteJSON(&data)); err != nil {
		t.Fatal(err)
	}
	for form, has := range map[*strings.Builder]string{
		&text: "effort of agent", &page: "Effort of agent", &data: `"effort":{"cases":2,`,
	} {
		if !strings.Contains(form.String(), has) {
			t.Errorf("no %q in\n%s", has, form)
		}
	}
	if !strings.Contains(text.String(), "cost unknown: 2") || strings.Contains(text.String(), "US dollars") {
		t.Errorf("an unknown cost is told as one:\n%s", text.String())
	}
}

// The ablation table shows the gain and the cost of each algorithm. A single
// algorithm has no such table.
func TestAblationTable(t *testing.T) {
	usd := 0.02
	right, wrong := asked(2, 100, &usd, "git_blame", "report"), asked(1, 50, &usd, "report")
	right.Tally, wrong.Tally = Tally{1, 1, 1}, Tally{1, 1, 0}
	res := &Results{Cases: []Case{question{ID: "a"}, question{ID: "b"}}, Algorithms: []string{"agent", "agent-no-tools"},
		Outcomes: map[string][]Outcome{"agent": {right, right}, "agent-no-tools": {right, wrong}}}
	var text strings.Builder
	if err := NewReport(toy{}, About{}, res).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	fields := map[string]string{}
	for line := range strings.Lines(text.String()) {
		words := strings.Fields(line)
		if len(words) == 10 {
			fields[words[0]] = strings.Join(words[1:], " ")
		}
	}
	if fields["agent"] != "1.000 1.000 1.000 - 2.0 2.0 115 0.0200 2.0" || fields["agent-no-tools"] != "0.500 0.500 0.500 -0.500 1.5 1.5 90 0.0200 1.5" {
		t.Errorf("%q in\n%s", fields, &text)
	}
	res.Algorithms = res.Algorithms[:1]
	text.Reset()
	if err := NewReport(toy{}, About{}, res).WriteText(&text); err != nil || strings.Contains(text.String(), "change") {
		t.Errorf("%v in\n%s", err, &text)
	}
}

// A StopError ends the run at once and loses no finished answer. The case that
// returned it is not recorded, so the next run asks it again.
func TestStopErrorKeepsTheRest(t *testing.T) {
	e := &engine{}
	stop := true
	e.trace = func(_ context.Context, c question, _ string) (reply, error) {
		if stop && c.ID == "b" {
			return reply{}, &StopError{errors.New("no credit")}
		}
		return reply{Words: []string{c.Want}}, nil
	}
	cases := []Case{question{ID: "a", Repo: "o/r0", Fix: "f", Want: "1"}, question{ID: "b", Repo: "o/r0", Fix: "g", Want: "2"}, question{ID: "c", Repo: "o/r0", Fix: "h", Want: "3"}}
	kept := &memory{}
	plan := Plan{Task: toy{}, Cases: cases, Algorithms: []string{"agent"}, Repos: clones(t, 1), Open: e.open, Journal: kept}
	res, err := Run(t.Context(), plan)
	var stopped *StopError
	if !errors.As(err, &stopped) || res.Unfinished != 2 || len(kept.records) != 1 || len(res.Failed) != 0 {
		t.Fatalf("err %v, results %+v, %d kept", err, res, len(kept.records))
	}
	stop = false
	if res, err = Run(t.Context(), plan); err != nil || res.Unfinished != 0 || res.Reused != 1 || e.asked.Load() != 4 {
		t.Errorf("err %v, results %+v, asked %d times", err, res, e.asked.Load())
	}
}

// The settings of an algorithm are part of the key, so the answer of another model
// is not reused.
func TestSettingsOfAnAlgorithm(t *testing.T) {
	e := &engine{}
	kept := &memory{}
	plan := Plan{Task: toy{}, Cases: []Case{question{ID: "a", Repo: "o/r0", Fix: "f", Want: "1"}}, Algorithms: []string{"agent", "r"},
		Repos: clones(t, 1), Open: e.open, Journal: kept, Settings: map[string]string{"agent": "model=x"}}
	for _, tt := range []struct {
		setting string
		asked   int32
	}{{"model=x", 2}, {"model=x", 2}, {"model=y", 3}} {
		plan.Settings["agent"] = tt.setting
		if _, err := Run(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
		if n := e.asked.Load(); n != tt.asked {
			t.Errorf("%s: asked %d times, want %d", tt.setting, n, tt.asked)
		}
	}
}
