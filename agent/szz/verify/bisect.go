package verify

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A bisection looks for the first commit at which the command fails. Its bounds
// come from what was run at the suspects, so it takes fewer runs than one that
// starts from nothing:
//
//	good0 ... good ......... bad ... fix^
//	            '-- halved --'
//	  '--- plain bisection would halve ---'
type bisection struct {
	*check
	bad      gitext.OID   // a failing commit; the search goes on among its ancestors
	goods    []gitext.OID // commits at which the command passes
	skips    []gitext.OID // commits at which it cannot tell
	halvings int          // runs that halved the range
}

// bisect finds the first failing commit and makes it a suspect.
func (c *check) bisect(ctx context.Context, v *szz.Verdict) error {
	b := &bisection{check: c}
	before := c.space.Runs()
	if err := b.setBounds(ctx); err != nil {
		return err
	}
	if err := b.walkBack(ctx, v); err != nil {
		return err
	}
	left, err := b.halve(ctx)
	if err != nil {
		return err
	}
	if left > 1 {
		v.Note("bisection ended at %s: %d commits up to it cannot be told apart, because the command says nothing at the others",
			b.bad.Short(), left)
		return nil
	}
	walked := c.space.Runs() - before - b.halvings
	if err := b.markFirstBad(ctx, v); err != nil {
		return err
	}
	return b.noteCost(ctx, v, before, walked)
}

// setBounds takes its bounds from the runs so far: all commits that pass, and of
// those that fail the one with the fewest commits between them and it.
func (b *bisection) setBounds(ctx context.Context) error {
	for _, oid := range b.order {
		switch b.known[oid].Outcome {
		case trial.Passes:
			b.goods = append(b.goods, oid)
		case trial.Unknown:
			b.skips = append(b.skips, oid)
		}
	}
	fewest := 0
	for _, oid := range b.order {
		if b.known[oid].Outcome != trial.Fails {
			continue
		}
		n, err := b.repo.CountCommits(ctx, oid, b.goods)
		if err != nil {
			return err
		}
		// With none left, a descendant passes: the bug was fixed there and came
		// back later, and this is not where the one of the fix's parent began.
		if n > 0 && (b.bad == "" || n < fewest) {
			b.bad, fewest = oid, n
		}
	}
	return nil
}

// try runs the command at a commit and moves a bound of the range.
func (b *bisection) try(ctx context.Context, commit gitext.OID) error {
	res, err := b.run(ctx, commit)
	if err != nil {
		return err
	}
	switch res.Outcome {
	case trial.Passes:
		b.goods = append(b.goods, commit)
	case trial.Unknown:
		b.skips = append(b.skips, commit)
	case trial.Fails:
		older, err := b.repo.IsAncestor(ctx, commit, b.bad)
		if err != nil {
			return err
		}
		if older {
			b.bad = commit
		}
	}
	return nil
}

// walkBack looks for a commit at which the command passes: first at the parents
// of the suspects that were not tried, best first, then in steps that double.
func (b *bisection) walkBack(ctx context.Context, v *szz.Verdict) error {
	for _, s := range v.Suspects {
		if len(b.goods) > 0 {
			return nil
		}
		if s.Confirmation != nil || len(s.Commit.Parents) == 0 || b.repo.ShallowBoundary()[s.Commit.OID] {
			continue
		}
		older, err := b.repo.IsAncestor(ctx, s.Commit.Parents[0], b.bad)
		if err != nil {
			return err
		}
		if older {
			if err := b.try(ctx, s.Commit.Parents[0]); err != nil {
				return err
			}
		}
	}
	return b.leapBack(ctx)
}

// leapBack goes 1, 2, 4 and so on commits back until the command passes or the
// history ends.
func (b *bisection) leapBack(ctx context.Context) error {
	all, err := b.repo.CountCommits(ctx, b.bad, nil)
	if err != nil {
		return err
	}
	from := b.bad
	for step := 1; len(b.goods) == 0; step *= 2 {
		back := min(step, all-1) // the last one is a root
		commit, err := b.repo.AncestorAt(ctx, from, back)
		if err != nil {
			return err
		}
		b.opt.Progress("look for a commit where the command passes, %d back", back)
		if err := b.try(ctx, commit); err != nil {
			return err
		}
		if back == all-1 {
			return nil
		}
	}
	return nil
}

// halve narrows the range until one commit is left, or none that can be tried,
// and returns how many are left.
func (b *bisection) halve(ctx context.Context) (int, error) {
	for {
		step, err := b.repo.Bisect(ctx, b.bad, b.goods, b.skips)
		if err != nil {
			return 0, err
		}
		if step.Left <= 1 || step.Next == "" {
			return step.Left, nil
		}
		b.halvings++
		b.opt.Progress("bisect: %d commits left, about %d more %s", step.Left, step.Steps+1, szz.Plural(step.Steps+1, "run", "runs"))
		if err := b.try(ctx, step.Next); err != nil {
			return 0, err
		}
	}
}

// markFirstBad confirms the first failing commit, as a suspect of its own if the
// ranking did not name it.
func (b *bisection) markFirstBad(ctx context.Context, v *szz.Verdict) error {
	commit, err := b.repo.Commit(ctx, b.bad)
	if err != nil {
		return err
	}
	// Its parents were mostly run already. One of a merge may not have been: that
	// it is an ancestor of a commit that passes proves nothing.
	result, err := b.confirm(ctx, commit)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.Suspects, func(s szz.Suspect) bool { return s.Commit.OID == b.bad })
	if i < 0 {
		i = len(v.Suspects)
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{
			Commit: commit, Reason: "found by bisection, not by the ranking",
			Evidence: []suspect.Evidence{{Text: commit.Subject(), Command: "git show " + string(b.bad)}},
		}})
	}
	v.Suspects[i].Confirmation = &result
	if !slices.Contains(v.Candidates, b.bad) {
		v.Candidates = append(v.Candidates, b.bad)
	}
	return nil
}

// noteCost notes what the bisection cost, and what it would have cost without the
// ranking.
func (b *bisection) noteCost(ctx context.Context, v *szz.Verdict, before, walked int) error {
	if len(b.goods) == 0 {
		v.Note("the command fails as far back as the history goes: there was nothing to bisect")
		return nil
	}
	plain := 0
	for _, good := range b.goods {
		n, err := b.repo.CountCommits(ctx, b.fc.Parent, []gitext.OID{good})
		if err != nil {
			return err
		}
		plain = max(plain, n)
	}
	v.Note("%s", savings(plain, b.halvings, before-baselineRuns, walked))
	return nil
}

// baselineRuns is how many runs precede the suspects: one at the fix and one at
// its parent.
const baselineRuns = 2

// savings compares the runs of a bisection with those of a plain one, which are
// the binary logarithm of its range, and says what finding the bounds cost.
func savings(plain, halvings, tried, walked int) string {
	estimate := 0
	if plain > 0 {
		estimate = bits.Len(uint(plain - 1))
	}
	text := fmt.Sprintf("bisection took %d %s where a plain one of the same %d %s takes about %d: ",
		halvings, szz.Plural(halvings, "run", "runs"), plain, szz.Plural(plain, "commit", "commits"), estimate)
	if saved := estimate - halvings; saved > 0 {
		text += fmt.Sprintf("the ranking saved %d", saved)
	} else {
		text += "the ranking saved none"
	}
	text += fmt.Sprintf(", for %d %s at suspects", tried, szz.Plural(tried, "run", "runs"))
	if walked > 0 {
		text += fmt.Sprintf("; %d more went back to a commit that passes", walked)
	}
	return text
}
