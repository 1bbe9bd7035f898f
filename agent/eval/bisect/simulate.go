package bisecteval

import (
	"context"
	"fmt"
	"sync"

	"git-agent/agent/bisect"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A stand answers instead of the command: it fails where a known culprit is in the history.
// Outcomes are wrong at a rate, always to one side. The first one at the bad commit is right:
// somebody saw the command fail there.
type stand struct {
	id   string
	bad  gitext.OID
	has  map[gitext.OID]bool // commits with a culprit in their history
	rate float64

	mu   sync.Mutex
	runs map[gitext.OID]int
}

func (s *session) newStand(ctx context.Context, p *prepared) (*stand, error) {
	has, err := p.having(ctx, s.repo, p.c.BICs)
	return &stand{id: p.c.ID, bad: p.bad, has: has, rate: s.opt.Flaky, runs: map[gitext.OID]int{}}, err
}

// These are the sides of wrong outcomes.
const (
	falseFailures = "failures"
	falsePasses   = "passes"
)

func (w *stand) side() string {
	if draw(w.id, "side") < 0.5 {
		return falseFailures
	}
	return falsePasses
}

// fails makes a run, and reports its outcome.
func (w *stand) fails(commit gitext.OID) bool {
	w.mu.Lock()
	n := w.runs[commit]
	w.runs[commit]++
	w.mu.Unlock()
	fails := w.has[commit]
	if commit == w.bad && n == 0 || fails != (w.side() == falsePasses) {
		return fails
	}
	return fails != (draw(fmt.Sprint(w.id, commit, n), "outcome") < w.rate)
}

// outcome is the engine's Outcome.
func (w *stand) outcome(_ context.Context, commit gitext.OID) trial.Result {
	if w.fails(commit) {
		return trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1}
	}
	return trial.Result{Outcome: trial.Passes, How: "passes"}
}

// halve searches as git bisect run does, which believes each outcome.
func (w *stand) halve(ctx context.Context, repo *gitext.Repo, f *frame) (*Prediction, error) {
	out := &Prediction{Status: string(bisect.Proved), Proved: true, First: f.bad}
	good := []gitext.OID{f.good}
	for {
		step, err := repo.Bisect(ctx, out.First, good, nil)
		if err != nil || step.Next == "" {
			return out, err
		}
		out.Runs++
		if w.fails(step.Next) {
			out.First = step.Next
		} else {
			good = append(good, step.Next)
		}
	}
}
