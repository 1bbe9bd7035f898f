package release

import (
	"context"
	"errors"

	"git-agent/gitext"
)

// A State says what a branch needs.
type State string

// These are the states of branches.
const (
	Clear   State = "clear"   // it does not have the bug
	Fixed   State = "fixed"   // it has the bug and the fix
	Needs   State = "needs"   // it has the bug and not the fix
	Unknown State = "unknown" // its history is cut
)

// A Branch says whether a branch has the bug.
type Branch struct {
	gitext.Branch
	State       State
	Probability float64       // of the culprit that it contains
	Has         gitext.OID    // the fix, or the pick that it has; "" without
	Tried       *gitext.Tried // for Needs: the fix, picked onto the branch; nil if there is no fix or git is too old
}

// judgeBranches says what each branch needs, and tries the fix on those that lack it.
func (f *finder) judgeBranches(ctx context.Context) error {
	var onto []gitext.OID
	var which []int
	for _, b := range f.branches {
		at, bug, fixed, unknown, p := f.judge(b.Commit)
		one := Branch{Branch: b, State: Clear, Probability: p}
		switch {
		case unknown:
			one.State = Unknown
		case bug && fixed:
			one.State, one.Has = Fixed, f.fixOf(at)
		case bug:
			one.State = Needs
			onto, which = append(onto, b.Commit), append(which, len(f.answer.Branches))
		}
		f.answer.Branches = append(f.answer.Branches, one)
	}
	if len(onto) == 0 || f.answer.Fix == nil {
		return nil
	}
	tried, err := f.repo.TryPicks(ctx, f.answer.Fix.OID, onto)
	if errors.Is(err, gitext.ErrOldGit) {
		f.answer.Notes = append(f.answer.Notes, "the fix was not tried on the branches: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for i, t := range tried {
		f.answer.Branches[which[i]].Tried = &t
	}
	return nil
}

// fixOf returns the fix, the pick or the revert that a commit contains.
func (f *finder) fixOf(at int32) gitext.OID {
	for _, o := range f.search.originals {
		for _, p := range o.picks {
			if !o.fix && !p.Revert {
				continue
			}
			if i, ok := f.graph.Number[p.Commit]; ok && f.graph.Has(at, i) {
				return p.Commit
			}
		}
	}
	return ""
}
