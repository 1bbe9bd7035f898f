package szzeval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz"
	"git-agent/agent/szz/investigate"
)

// voted returns the results of n cases of a model, with two suspects each. Among the suspects
// with raw probability p, the share truth(p) is right.
func voted(n, repos int, truth func(p float64) float64) *eval.Results {
	random := rand.New(rand.NewPCG(5, 6))
	res := &eval.Results{Algorithms: []string{"agent"}, Outcomes: map[string][]eval.Outcome{}}
	for i := range n {
		res.Cases = append(res.Cases, Case{ID: fmt.Sprintf("case-%03d", i), Repo: fmt.Sprintf("o/r%d", i%repos), File: "f.jsonl"})
		o := eval.Outcome{Case: i, Evaluated: true, Score: eval.Score{Tally: count{bics: 1}.tally(), Work: &eval.Work{},
			Row: scoreRow{Basis: szz.Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 1}}}, Unanswered: count{bics: 1}.tally()}
		for range 2 {
			raw := 0.05 + 0.9*random.Float64()
			right := random.Float64() < truth(raw)
			o.Forecasts = append(o.Forecasts, stat.Forecast{P: raw, Right: right})
			o.Votes = append(o.Votes, eval.Vote{Voted: stat.Voted{Raw: raw, Agreement: 1, Right: right}})
		}
		res.Outcomes["agent"] = append(res.Outcomes["agent"], o)
	}
	return res
}

// timid is the truth for a model that states too low probabilities.
func timid(p float64) float64 { return stat.Platt{Raw: 1.5, Constant: 1.5}.Probability(p, 1) }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 5, time.UTC)

// A fit improves the calibration on cases outside its training data, records its training data,
// and does not depend on the time.
func TestFitCalibration(t *testing.T) {
	res := voted(300, 7, timid)
	f, err := FitCalibration(res, "agent", noon)
	if err != nil {
		t.Fatal(err)
	}
	o := f.OutOfFold
	if o.Before.ECE < 0.1 || o.After.ECE > 0.06 || o.After.Brier >= o.Before.Brier || o.By != "repository" || o.Folds != 5 {
		t.Errorf("out of fold %+v", o)
	}
	if f.Cases != 300 || f.Predictions != 600 || f.Repositories != 7 || len(f.Files) != 1 || f.Model != "m" || f.Made.Nanosecond() != 0 {
		t.Errorf("fitted on %+v", f.Calibration)
	}
	if again, err := FitCalibration(res, "agent", noon); err != nil || again.ID() != f.ID() || again.OutOfFold != f.OutOfFold {
		t.Errorf("a second fit is %+v, %v", again, err)
	}
	if f.Better() != nil {
		t.Error(f.Better())
	}
	if f, err := FitCalibration(voted(300, 1, timid), "agent", noon); err != nil || f.OutOfFold.By != "case" {
		t.Errorf("one repository: %+v, %v", f.OutOfFold, err)
	}
	var text strings.Builder
	r := eval.NewReport(Task{}, eval.About{}, res)
	r.Fit = f
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "reliability, calibrated") || !strings.Contains(text.String(), "judged in 5 folds by repository") {
		t.Errorf("%v in\n%s", err, text.String())
	}
}

// A report names the training data of its calibration.
func TestReportsNameTheCalibration(t *testing.T) {
	res := voted(300, 7, timid)
	f, err := FitCalibration(res, "agent", noon)
	if err != nil {
		t.Fatal(err)
	}
	var text, page strings.Builder
	r := eval.NewReport(Task{Calibration: f.Calibration}, eval.About{}, res)
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page)); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{text.String(), page.String()} {
		if !strings.Contains(form, "probabilities are calibrated on 600 suspects of 300 cases") {
			t.Errorf("no calibration in\n%s", form)
		}
	}
}

// FitCalibration returns an error for answers with different bases, for too few
// answers, and for answers that are all right or all wrong. It ignores cases that
// the model did not answer.
func TestFitCalibrationRefuses(t *testing.T) {
	change := func(res *eval.Results, how func(o *eval.Outcome)) *eval.Results {
		o := &res.Outcomes["agent"][3]
		w := *o.Work
		o.Work = &w
		how(o)
		return res
	}
	half := func(float64) float64 { return 0.5 }
	for want, res := range map[string]*eval.Results{
		"needs 200 suspects":                          voted(99, 3, half),
		"400 right and 0 wrong;":                      voted(200, 3, func(float64) float64 { return 1 }),
		"here are 0 right":                            voted(200, 3, func(float64) float64 { return 0 }),
		"cannot be calibrated together: it is for 1 ": change(voted(200, 3, half), func(o *eval.Outcome) { o.Row = rebased(o, func(b *szz.Basis) { b.Runs = 3 }) }),
		"a build that did not record":                 change(voted(200, 3, half), func(o *eval.Outcome) { o.Row = scoreRow{} }),
	} {
		if _, err := FitCalibration(res, "agent", noon); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	res := change(voted(200, 3, half), func(o *eval.Outcome) { o.Work.Fallback, o.Row = "no server", scoreRow{Basis: szz.Basis{Model: "x"}} })
	if f, err := FitCalibration(res, "agent", noon); err != nil || f.Cases != 199 || f.Predictions != 398 {
		t.Errorf("with a fallback: %+v, %v", f, err)
	}
	res = change(voted(200, 3, half), func(o *eval.Outcome) { o.Votes[0].Absent = 1 })
	if f, err := FitCalibration(res, "agent", noon); err != nil || f.Cases != 199 || f.Predictions != 398 {
		t.Errorf("with an absent run: %+v, %v", f, err)
	}
	if f, err := FitCalibration(voted(300, 5, func(p float64) float64 { return p }), "agent", noon); err != nil || f.Better() != nil && !errors.Is(f.Better(), eval.ErrNoBetter) {
		t.Errorf("%+v, %v", f, err)
	}
}

// A record's probabilities are calibrated only by a calibration for its basis, and the stored
// record does not change.
func TestRecordsAreCalibrated(t *testing.T) {
	basis := szz.Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 1}
	vote := &szz.Vote{Raw: 0.5, Agreement: 1}
	prediction := Prediction{Suspects: []Suspect{{Commit: oid("a"), Probability: 0.5, Vote: vote}}, Work: &Work{Basis: basis}}
	c := &investigate.Calibration{Basis: basis, Platt: stat.Platt{Raw: 1, Constant: 1}}
	p := func(t Task) float64 { return t.Score(Case{BICs: oids("a")}, prediction).Forecasts[0].P }
	if got := p(Task{Calibration: c}); got != c.Probability(0.5, 1) || p(Task{}) != 0.5 {
		t.Errorf("%v, kept %v", got, p(Task{}))
	}
	vote.Absent = 1
	if got := p(Task{Calibration: c}); got != 0.5 {
		t.Errorf("of a vote with an absent run: %v", got)
	}
	vote.Absent, c.Runs = 0, 2
	if got := p(Task{Calibration: c}); got != 0.5 {
		t.Errorf("of another basis: %v", got)
	}
}

// rebased returns the row of an outcome with another basis.
func rebased(o *eval.Outcome, change func(*szz.Basis)) scoreRow {
	row := o.Row.(scoreRow)
	change(&row.Basis)
	return row
}
