package engine

import (
	"context"
	"iter"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// Sum traces the fixes among the commits of questions, and sums their culprits. Merges, and commits
// that do not look like fixes, are left out. seen, if it is not nil, is called with the number of
// commits so far.
func (e *Engine) Sum(ctx context.Context, questions iter.Seq2[szz.Question, error], workers int, seen func(commits int)) (*Overview, error) {
	commits, traced := 0, 0
	var tip gitext.OID
	count := func(oid gitext.OID) {
		if commits++; tip == "" {
			tip = oid
		}
		if seen != nil {
			seen(commits)
		}
	}
	var fixes []tracedFix
	batch := Batch{Workers: workers, KeepGoing: true, OnEvent: func(szz.Question, agent.Event) {}}
	for found, err := range e.All(ctx, e.onlyFixes(ctx, questions, count), batch) {
		if err != nil {
			return nil, err
		}
		traced++
		if culprit, ok := countedCulprit(found.Answer); ok {
			fixes = append(fixes, tracedFix{Fix: found.Fix, Culprit: culprit})
		}
	}
	o, err := overviewOf(ctx, e.Repo, tip, fixes)
	if err != nil {
		return nil, err
	}
	o.Commits, o.Fixes = commits, traced
	return o, nil
}

// onlyFixes leaves out the questions about merges and about commits that do not look like fixes.
// seen is called for each commit that is no merge.
func (e *Engine) onlyFixes(ctx context.Context, questions iter.Seq2[szz.Question, error], seen func(gitext.OID)) iter.Seq2[szz.Question, error] {
	return func(yield func(szz.Question, error) bool) {
		for q, err := range questions {
			var commit gitext.Commit
			if err == nil {
				commit, err = e.Repo.Commit(ctx, q.Fix)
			}
			if err != nil {
				yield(q, err)
				return
			}
			if len(commit.Parents) > 1 {
				continue
			}
			seen(commit.OID)
			if countsAsFix(commit) && !yield(q, nil) {
				return
			}
		}
	}
}
