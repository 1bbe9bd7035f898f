package verify

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// A hunt looks for the first commit at which the command fails. Its bounds
// come from what was run at the suspects, which is why it is shorter than a
// bisection that starts from nothing:
//
//	good0 ... good ......... bad ... fix^
//	            '-- halved --'
//	  '--- plain bisection would halve ---'
type hunt struct {
	*trials
	bad      gitext.OID
	goods    []gitext.OID
	skips    []gitext.OID
	halvings int
}

// bisect finds the first failing commit and makes it a suspect.
func (t *trials) bisect(ctx context.Context, v *szz.Verdict) error {
	h := &hunt{trials: t}
	before := t.runs
	if err := h.bounds(ctx); err != nil {
		return err
	}
	if err := h.walkBack(ctx, v); err != nil {
		return err
	}
	left, err := h.halve(ctx)
	if err != nil {
		return err
	}
	if left > 1 {
		v.Note("bisection ended at %s: %d commits up to it cannot be told apart, because the command says nothing at the others",
			h.bad.Short(), left)
		return nil
	}
	walked := t.runs - before - h.halvings
	if err := h.found(ctx, v); err != nil {
		return err
	}
	return h.account(ctx, v, before, walked)
}

// bounds takes the trials so far as bounds: the passing commits, and of the
// failing ones that with the fewest commits left before it.
func (h *hunt) bounds(ctx context.Context) error {
	for _, oid := range h.order {
		switch h.seen[oid].outcome {
		case passes:
			h.goods = append(h.goods, oid)
		case unknown:
			h.skips = append(h.skips, oid)
		}
	}
	fewest := 0
	for _, oid := range h.order {
		if h.seen[oid].outcome != fails {
			continue
		}
		n, err := h.repo.CountCommits(ctx, oid, h.goods)
		if err != nil {
			return err
		}
		// None left means that a descendant passes: fixed and broken again
		// since, and not the bug's beginning that the fix's parent shows.
		if n > 0 && (h.bad == "" || n < fewest) {
			h.bad, fewest = oid, n
		}
	}
	return nil
}

// try runs the command at a commit of the range and moves a bound.
func (h *hunt) try(ctx context.Context, commit gitext.OID) error {
	res, err := h.run(ctx, commit)
	if err != nil {
		return err
	}
	switch res.outcome {
	case passes:
		h.goods = append(h.goods, commit)
	case unknown:
		h.skips = append(h.skips, commit)
	case fails:
		older, err := h.repo.IsAncestor(ctx, commit, h.bad)
		if err != nil {
			return err
		}
		if older {
			h.bad = commit
		}
	}
	return nil
}

// walkBack looks for a commit at which the command passes: first before the
// candidates that were not tried, as ranked, then in steps that double.
func (h *hunt) walkBack(ctx context.Context, v *szz.Verdict) error {
	for _, s := range v.Suspects {
		if len(h.goods) > 0 {
			return nil
		}
		if s.Confirmation != nil || len(s.Commit.Parents) == 0 || h.repo.ShallowBoundary()[s.Commit.OID] {
			continue
		}
		older, err := h.repo.IsAncestor(ctx, s.Commit.Parents[0], h.bad)
		if err != nil {
			return err
		}
		if older {
			if err := h.try(ctx, s.Commit.Parents[0]); err != nil {
				return err
			}
		}
	}
	return h.leapBack(ctx)
}

func (h *hunt) leapBack(ctx context.Context) error {
	all, err := h.repo.CountCommits(ctx, h.bad, nil)
	if err != nil {
		return err
	}
	from := h.bad
	for step := 1; len(h.goods) == 0; step *= 2 {
		back := min(step, all-1) // the last one is a root
		commit, err := h.repo.AncestorAt(ctx, from, back)
		if err != nil {
			return err
		}
		h.progress("look for a commit where the command passes, %d back", back)
		if err := h.try(ctx, commit); err != nil {
			return err
		}
		if back == all-1 {
			return nil
		}
	}
	return nil
}

// halve narrows the range down and returns how many commits are left.
func (h *hunt) halve(ctx context.Context) (int, error) {
	for {
		b, err := h.repo.Bisect(ctx, h.bad, h.goods, h.skips)
		if err != nil {
			return 0, err
		}
		if b.Left <= 1 || b.Next == "" {
			return b.Left, nil
		}
		h.halvings++
		h.progress("bisect: %d commits left, about %d more %s", b.Left, b.Steps+1, szz.Plural(b.Steps+1, "run", "runs"))
		if err := h.try(ctx, b.Next); err != nil {
			return 0, err
		}
	}
}

// found marks the first failing commit, as a suspect of its own if the ranking
// did not name it.
func (h *hunt) found(ctx context.Context, v *szz.Verdict) error {
	commit, err := h.repo.Commit(ctx, h.bad)
	if err != nil {
		return err
	}
	// Mostly known already. With merges a parent may not have been run: that
	// it lies in the history of a good commit is no proof.
	c, err := h.judge(ctx, commit)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(v.Suspects, func(s szz.Suspect) bool { return s.Commit.OID == h.bad })
	if i < 0 {
		i = len(v.Suspects)
		v.Suspects = append(v.Suspects, szz.Suspect{Commit: commit, Reason: "found by bisection, not by the ranking",
			Evidence: []szz.Evidence{{Text: commit.Subject(), Command: "git show " + string(h.bad)}}})
	}
	v.Suspects[i].Confirmation = &c
	if !slices.Contains(v.Candidates, h.bad) {
		v.Candidates = append(v.Candidates, h.bad)
	}
	return nil
}

// account says what the bisection cost and what it would have cost without
// the ranking.
func (h *hunt) account(ctx context.Context, v *szz.Verdict, before, walked int) error {
	if len(h.goods) == 0 {
		v.Note("the command fails as far back as the history goes: there was nothing to bisect")
		return nil
	}
	plain := 0
	for _, good := range h.goods {
		n, err := h.repo.CountCommits(ctx, h.fc.Parent, []gitext.OID{good})
		if err != nil {
			return err
		}
		plain = max(plain, n)
	}
	v.Note("%s", savings(plain, h.halvings, before-baselineRuns, walked))
	return nil
}

// baselineRuns are those at the fix and at its parent.
const baselineRuns = 2

// savings compares the runs of a bisection with the binary logarithm of the
// plain range, which is what halving it takes, and says what the bounds cost.
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
