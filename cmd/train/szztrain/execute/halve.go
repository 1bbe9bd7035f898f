package execute

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A bisection looks for the first commit at which a command fails. The caller sets Repo, Run,
// Bad, Goods and, if known, Skips. Then it calls halve.
type bisection struct {
	Repo *gitext.Repo
	// Run runs the command at a commit, or returns the known result of an equal commit.
	Run      func(ctx context.Context, commit gitext.OID) (trial.Result, error)
	Progress func(format string, args ...any) // may be nil

	Bad      gitext.OID   // a failing commit; the search goes on among its ancestors
	Goods    []gitext.OID // commits at which the command passes
	Skips    []gitext.OID // commits with an unknown outcome
	Halvings int          // runs that halved the range
}

// try runs the command at a commit and moves a bound of the range.
func (b *bisection) try(ctx context.Context, commit gitext.OID) (trial.Outcome, error) {
	res, err := b.Run(ctx, commit)
	if err != nil {
		return trial.Unknown, err
	}
	switch res.Outcome {
	case trial.Passes:
		b.Goods = append(b.Goods, commit)
	case trial.Unknown:
		b.Skips = append(b.Skips, commit)
	case trial.Fails:
		older, err := b.Repo.IsAncestor(ctx, commit, b.Bad)
		if err != nil {
			return trial.Unknown, err
		}
		if older {
			b.Bad = commit
		}
	}
	return res.Outcome, nil
}

// halve narrows the range until one commit is left, or only commits that cannot be tested. It
// returns the number of remaining commits.
func (b *bisection) halve(ctx context.Context) (int, error) {
	for {
		step, err := b.Repo.Bisect(ctx, b.Bad, b.Goods, b.Skips)
		if err != nil {
			return 0, err
		}
		if step.Left <= 1 || step.Next == "" {
			return step.Left, nil
		}
		b.Halvings++
		if b.Progress != nil {
			b.Progress("bisect: %d commits left, about %s", step.Left, agent.Plural(step.Steps+1, "more run"))
		}
		if _, err := b.try(ctx, step.Next); err != nil {
			return 0, err
		}
	}
}
