package engine

import (
	"context"
	"fmt"

	"git-agent/agent/szz"
	"git-agent/agent/szz/check"
	"git-agent/gitext"
)

// A TrailerCheck checks the trailers of commits by their form, by the named commits and, on request,
// by the ranking.
type TrailerCheck struct {
	Engine *Engine
	Asks   bool // the ranking is asked as well, which takes a second or so for each commit

	checker *check.Checker // nil before the first commit
}

// mostAsked is the number of suspects of the ranking that are read.
const mostAsked = 50

// Check returns the findings about commits, in their order.
func (t *TrailerCheck) Check(ctx context.Context, oids []gitext.OID) ([]check.Finding, error) {
	if len(oids) == 0 {
		return nil, nil
	}
	repo := t.Engine.Repo
	if t.checker == nil {
		habit, err := check.ReadHabit(ctx, repo, oids[0])
		if err != nil {
			return nil, err
		}
		t.checker = &check.Checker{Repo: repo, Habit: habit}
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	formal, err := t.checker.Check(ctx, commits)
	if err != nil {
		return nil, err
	}
	wrong := map[gitext.OID][]check.Finding{}
	for _, f := range formal {
		wrong[f.Commit] = append(wrong[f.Commit], f)
	}
	var left []gitext.Commit
	for _, c := range commits {
		if len(wrong[c.OID]) == 0 && len(c.Parents) == 1 {
			left = append(left, c)
		}
	}
	pairs, err := t.checker.Pairs(ctx, left)
	if err != nil {
		return nil, err
	}
	var found []check.Finding
	for _, c := range commits {
		own := wrong[c.OID]
		if len(own) == 0 {
			if own, err = t.judge(ctx, c, pairs[c.OID]); err != nil {
				return found, err
			}
		}
		found = append(found, own...)
	}
	return found, nil
}

// judge returns the finding about a commit whose trailers have the right form. pair is nil unless
// one trailer names one commit.
func (t *TrailerCheck) judge(ctx context.Context, commit gitext.Commit, pair *check.Pair) ([]check.Finding, error) {
	var ranked []check.Candidate
	if misses := t.checker.Misses(commit); t.Asks && (pair != nil || misses) {
		q := szz.Question{Fix: commit.OID, Max: mostAsked, Index: t.Engine.Repo.Indexed(ctx, commit.OID)}
		ans, err := t.Engine.Answer(ctx, q, nil)
		if err != nil {
			return nil, err
		}
		for _, s := range ans.Answer.Suspects {
			ranked = append(ranked, check.Candidate{Commit: s.Commit, P: s.Probability})
		}
	}
	if pair != nil {
		if f := pair.Doubt(ranked); f != nil {
			return []check.Finding{*f}, nil
		}
		return nil, nil
	}
	if len(ranked) == 0 || ranked[0].P < check.SurelyMissed {
		return nil, nil
	}
	return []check.Finding{{
		Commit: commit.OID, Subject: commit.Subject(), Problem: check.Missing, Write: check.Format(ranked[0].Commit),
		Text: fmt.Sprintf("there is no trailer, and the ranking suspects a commit with %.0f%%", 100*ranked[0].P),
	}}, nil
}
