package verify

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"git-agent/agent"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A bisection looks for the first commit at which the command fails. Its bounds come from
// the runs at the suspects, so it needs fewer runs than a bisection from nothing:
//
//	good0 ... good ......... bad ... fix^
//	            '-- halved --'
//	  '--- plain bisection would halve ---'
type bisection struct {
	*check
	trial.Bisection
}

// bisect finds the first failing commit and makes it a suspect.
func (c *check) bisect(ctx context.Context, v *szz.Answer) error {
	b := &bisection{c, trial.Bisection{Repo: c.repo, Run: c.run, Progress: c.opt.Progress}}
	before := c.space.Runs()
	if err := b.setBounds(ctx); err != nil {
		return err
	}
	if err := b.walkBack(ctx, v); err != nil {
		return err
	}
	left, err := b.Halve(ctx)
	if err != nil {
		return err
	}
	if left > 1 {
		v.Note("bisection ended at %s: %d commits up to it cannot be told apart, because the command says nothing at the others",
			b.Bad.Short(), left)
		return nil
	}
	walked := c.space.Runs() - before - b.Halvings
	if err := b.markFirstBad(ctx, v); err != nil {
		return err
	}
	return b.noteCost(ctx, v, before, walked)
}

// setBounds takes the bounds from the runs so far: all passing commits, and the failing
// commit with the fewest commits between the passing ones and itself.
func (b *bisection) setBounds(ctx context.Context) error {
	for _, oid := range b.order {
		switch b.known[oid].Outcome {
		case trial.Passes:
			b.Goods = append(b.Goods, oid)
		case trial.Unknown:
			b.Skips = append(b.Skips, oid)
		}
	}
	fewest := 0
	for _, oid := range b.order {
		if b.known[oid].Outcome != trial.Fails {
			continue
		}
		n, err := b.repo.CountCommits(ctx, oid, b.Goods)
		if err != nil {
			return err
		}
		// If the count is zero, a descendant passes: the bug was fixed there and came
		// back later, so the bug of the fix's parent did not begin here.
		if n > 0 && (b.Bad == "" || n < fewest) {
			b.Bad, fewest = oid, n
		}
	}
	return nil
}

// walkBack looks for a commit at which the command passes: first at the untried parents
// of the suspects, best first, then in doubling steps.
func (b *bisection) walkBack(ctx context.Context, v *szz.Answer) error {
	for _, s := range v.Suspects {
		if len(b.Goods) > 0 {
			return nil
		}
		if s.Confirmation != nil || len(s.Commit.Parents) == 0 || b.repo.ShallowBoundary()[s.Commit.OID] {
			continue
		}
		older, err := b.repo.IsAncestor(ctx, s.Commit.Parents[0], b.Bad)
		if err != nil {
			return err
		}
		if older {
			if _, err := b.Try(ctx, s.Commit.Parents[0]); err != nil {
				return err
			}
		}
	}
	return b.LeapBack(ctx, 0)
}

// markFirstBad confirms the first failing commit, as a new suspect if the ranking did not
// name it.
func (b *bisection) markFirstBad(ctx context.Context, v *szz.Answer) error {
	commit, err := b.repo.Commit(ctx, b.Bad)
	if err != nil {
		return err
	}
	// Its parents were mostly run already. A parent of a merge may not have been: it may
	// fail although it is an ancestor of a passing commit.
	result, err := b.confirm(ctx, commit)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.Suspects, func(s szz.Suspect) bool { return s.Commit.OID == b.Bad })
	if i < 0 {
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{
			Commit: commit, Reason: "found by bisection, not by the ranking",
			Evidence: []suspect.Evidence{{Text: commit.Subject(), Command: "git show " + string(b.Bad)}},
		}})
		judgeUnranked(v, result)
	} else if was := v.Suspects[i].Confirmation; was == nil || was.Status != result.Status { // else it counts already
		judge(v, i, result)
	}
	if !slices.Contains(v.Candidates, b.Bad) {
		v.Candidates = append(v.Candidates, b.Bad)
	}
	return nil
}

// noteCost notes the cost of the bisection, and its cost without the ranking.
func (b *bisection) noteCost(ctx context.Context, v *szz.Answer, before, walked int) error {
	if len(b.Goods) == 0 {
		v.Note("the command fails as far back as the history goes: there was nothing to bisect")
		return nil
	}
	plain := 0
	for _, good := range b.Goods {
		n, err := b.repo.CountCommits(ctx, b.fc.Parent, []gitext.OID{good})
		if err != nil {
			return err
		}
		plain = max(plain, n)
	}
	v.Note("%s", savings(plain, b.Halvings, before-baselineRuns, walked))
	return nil
}

// baselineRuns is the number of runs before the suspects: one at the fix and one at its
// parent.
const baselineRuns = 2

// savings compares the runs of a bisection with those of a plain one, which are the
// binary logarithm of its range, and names the cost of finding the bounds.
func savings(plain, halvings, tried, walked int) string {
	estimate := 0
	if plain > 0 {
		estimate = bits.Len(uint(plain - 1))
	}
	text := fmt.Sprintf("bisection took %s; a plain bisection of the same %s takes about %d, so the ranking saved ",
		agent.Plural(halvings, "run"), agent.Plural(plain, "commit"), estimate)
	if saved := estimate - halvings; saved > 0 {
		text += agent.Plural(saved, "run")
	} else {
		text += "none"
	}
	text += fmt.Sprintf(", and %s preceded it at suspects", agent.Plural(tried, "run"))
	if walked > 0 {
		text += fmt.Sprintf("; %d more went back to a commit that passes", walked)
	}
	return text
}
