package crasheval

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/eval"
)

// ballots returns the results of a model over 150 cases of five repositories, whose runs agree on
// the first of two files. right reports for each case whether this file is the right one.
func ballots(basis agent.Basis, right func(i int) bool) *eval.Results {
	res := &eval.Results{Algorithms: []string{"agent"}, Outcomes: map[string][]eval.Outcome{}}
	for i := range 150 {
		c := Case{ID: fmt.Sprint("c", i), Repo: fmt.Sprint("o/r", i%5), File: "x.jsonl", FixFiles: []string{"other.c"}}
		if right(i) {
			c.FixFiles = []string{"a.c"}
		}
		p := Prediction{Basis: &basis, Work: &eval.Work{Status: []string{agent.StatusFound, agent.StatusFound}}, Ballots: [][]string{{"a.c"}, {"a.c", "b.c"}},
			Files: []File{
				{Path: "a.c", Probability: 0.9, Vote: &crash.Vote{Score: 1.5, Runs: 2, Of: 2, Offline: 0.1 + 0.8*float64(i%2)}},
				{Path: "b.c", Probability: 0.1, Vote: &crash.Vote{Score: 0.5, Runs: 1, Of: 2, Offline: 0.1}}, {Path: "c.c", Probability: 0.1},
			}}
		res.Cases = append(res.Cases, c)
		res.Outcomes["agent"] = append(res.Outcomes["agent"], eval.Outcome{Case: i, Evaluated: true, Score: Task{}.Score(c, p), Unanswered: Task{}.Score(c, nil).Tally})
	}
	return res
}

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// A calibration is accepted if, on other repositories, it is better than the stated probabilities
// and the base rate. Its probabilities equal the true shares.
func TestFitCalibration(t *testing.T) {
	basis := agent.Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 2}
	res := ballots(basis, func(i int) bool { return i%2 == 0 && i%20 > 2 }) // right only for low probabilities of the ranking
	fit, err := FitCalibration(res, "agent", noon)
	if err != nil || fit.Named != "file" || fit.Predictions != 300 || fit.Right != 59 || fit.Cases != 150 || fit.Repositories != 5 || fit.Basis != basis || !strings.HasPrefix(fit.About(), "on 300 files of 150 cases") {
		t.Fatalf("%v, %+v", err, fit)
	}
	if fit.Better() != nil || fit.OutOfFold.Before.Brier < 0.2 {
		t.Errorf("%v: %+v", fit.Better(), fit.OutOfFold)
	}
	task := Task{Calibration: fit.Calibration}
	of := ballots(basis, func(int) bool { return true })
	calibrated := task.Score(of.Cases[0], Prediction{Basis: &basis, Ballots: [][]string{{"a.c"}, {"a.c"}}, Files: []File{{Path: "a.c", Probability: 0.9, Vote: &crash.Vote{Score: 1.5, Of: 2, Offline: 0.1}}}}).Forecasts[0].P
	if calibrated > 0.5 || calibrated < 0.3 || task.CalibratedOn(of) != fit.About() {
		t.Errorf("states %g of the first file, which is right in 59 of 150 cases; %q", calibrated, task.CalibratedOn(of))
	}
	other := basis
	other.Model = "n"
	for what, p := range map[string]Prediction{
		"another model":         {Basis: &other, Ballots: [][]string{{"a.c"}, {"a.c"}}},
		"a run without verdict": {Basis: &basis, Ballots: [][]string{{"a.c"}, {"a.c"}, nil}},
		"an older build":        {},
	} {
		p.Files = []File{{Path: "a.c", Probability: 0.9, Vote: &crash.Vote{Score: 1.5, Of: 2, Offline: 0.1}}}
		if got := task.Score(of.Cases[0], p).Forecasts[0].P; got != 0.9 {
			t.Errorf("%s: %g", what, got)
		}
	}
}

// A calibration of noise is no better than the share of right predictions, and is refused.
func TestNoBetterThanTheRate(t *testing.T) {
	basis := agent.Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 2}
	res := ballots(basis, func(i int) bool { return (i/5)%2 == 0 })
	for i := range res.Outcomes["agent"] { // all files have the same vote
		o := &res.Outcomes["agent"][i]
		for j := range o.Votes {
			o.Votes[j].Raw, o.Votes[j].Agreement, o.Votes[j].Right = 0.5, 0.5, (i/5+j+i%5%3)%2 == 0
		}
	}
	fit, err := FitCalibration(res, "agent", noon)
	if err != nil || !errors.Is(fit.Better(), eval.ErrNoBetterThanRate) {
		t.Errorf("%v, %v: %+v", err, fit.Better(), fit.OutOfFold)
	}
}

// Answers with different bases, and answers of an older build, are refused with the reason.
func TestWhatCannotBeFitted(t *testing.T) {
	basis := agent.Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 2}
	never := func(int) bool { return false }
	if _, err := FitCalibration(ballots(basis, never), "agent", noon); err == nil || !strings.Contains(err.Error(), "needs 200 files that the model named, at least 10 right and 10 wrong; there are 0 right and 300 wrong") {
		t.Errorf("%v", err)
	}
	if _, err := FitCalibration(ballots(agent.Basis{}, never), "agent", noon); err == nil || !strings.Contains(err.Error(), "did not record") {
		t.Errorf("%v", err)
	}
}
