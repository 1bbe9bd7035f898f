package offline

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
)

// result returns the result of the search. ctx is the context with the time limit.
func (s *search) result(ctx context.Context) Found {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.SortStableFunc(s.tried, func(a, b tried) int {
		return cmp.Or(
			cmp.Compare(rank(a.trial.Verdict), rank(b.trial.Verdict)),
			cmp.Compare(number(a.probe), number(b.probe)),
			cmp.Compare(b.trial.Prior, a.trial.Prior))
	})
	out := Found{Trials: make([]fix.Trial, len(s.tried)), Stopped: s.stopped(ctx), Unproved: s.cut}
	for i, t := range s.tried {
		out.Trials[i] = t.trial
	}
	for _, n := range []string{s.culprit.Wrong, s.culprit.Note} {
		if n != "" && s.in.Good != "" {
			out.Notes = append(out.Notes, n)
		}
	}
	return out
}

// stopped says why the search ended early.
func (s *search) stopped(ctx context.Context) string {
	if s.good > 0 && s.ended() {
		return ""
	}
	why := ""
	switch cause := context.Cause(ctx); {
	case cause == errBudget, cause == errProof:
		why = "stopped at --time"
	case s.started >= s.in.Budget.Tries:
		why = "stopped at --tries"
	default:
		return ""
	}
	if s.cut != nil {
		return why
	}
	untried := len(s.window) + s.leads
	switch {
	case untried == 0 && s.dry:
		return ""
	case untried == 0:
		return why + " before further candidates were made"
	case s.dry:
		return fmt.Sprintf("%s, %s untried", why, agent.Plural(untried, "candidate"))
	}
	return fmt.Sprintf("%s, %s untried and further ones not made", why, agent.Plural(untried, "candidate"))
}

// lost counts candidates as untried again if the end of the time interrupted their trials.
func (s *search) lost(batch ...waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.window = append(s.window, batch...)
	s.started -= len(batch)
}
