package szzcmd

import (
	"context"
	"fmt"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// These constants bound what --check asks the ranking.
const (
	mostAsked    = 20  // commits; for more, the ranking is asked only with -v
	surelyMissed = 0.9 // least probability of a suspect whose trailer is missed
	batchOfCheck = 500 // commits whose messages are in memory at the same time
)

// runCheck checks the trailers of the commits, and prints the findings.
func (c *Szz) runCheck(ctx context.Context, a *app.App, repo *gitext.Repo) error {
	fixes, total, err := c.fixes(ctx, a, repo)
	if err != nil {
		return err
	}
	meter := a.NewProgress("checking")
	defer meter.End()
	out := render.CheckFindings{W: a.Stdout, Raw: a.Raw, JSON: c.JSON, SARIF: c.SARIF, Version: app.VersionString()}
	t := &trailerCheck{repo: repo, out: &out, asks: total > 0 && total <= mostAsked || a.Flags.Verbose > 0}
	t.engine = &engine.Engine{Repo: repo, Build: app.BuildIdentity()}
	if c.Cache && !repo.Shallow() {
		t.engine.Cache = a.Data.OpenCache(ctx, repo)
		defer t.engine.Cache.Close() // an unstored answer only costs time
	}
	var batch []gitext.OID
	done := 0
	flush := func() error {
		err := t.check(ctx, batch)
		done += len(batch)
		batch = batch[:0]
		meter.Update(done, total, "")
		return err
	}
	for q, err := range fixes {
		if err != nil {
			return err
		}
		if batch = append(batch, q.Fix); len(batch) == batchOfCheck {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	meter.End()
	if err := out.Close(); err != nil {
		return err
	}
	if out.Found > 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}

// A trailerCheck is the state of --check.
type trailerCheck struct {
	repo    *gitext.Repo
	engine  *engine.Engine
	out     *render.CheckFindings
	asks    bool           // the ranking is asked, too
	checker *check.Checker // nil before the first commit
}

// check checks commits and prints the findings in their order.
func (t *trailerCheck) check(ctx context.Context, oids []gitext.OID) error {
	if len(oids) == 0 {
		return nil
	}
	if t.checker == nil {
		habit, err := check.ReadHabit(ctx, t.repo, oids[0])
		if err != nil {
			return err
		}
		t.checker = &check.Checker{Repo: t.repo, Habit: habit}
	}
	commits, err := t.repo.Commits(ctx, oids)
	if err != nil {
		return err
	}
	found, err := t.checker.Check(ctx, commits)
	if err != nil {
		return err
	}
	for _, commit := range commits {
		own := slices.DeleteFunc(slices.Clone(found), func(f check.Finding) bool { return f.Commit != commit.OID })
		if len(own) == 0 && t.asks {
			if own, err = t.ask(ctx, commit); err != nil {
				return err
			}
		}
		for _, f := range own {
			if err := t.out.Finding(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// saysFix matches the subjects of fixes.
var saysFix = source.Lazy(`(?i)\bfix(?:es|ed)?\b`)

// ask returns what the ranking finds about a commit whose trailers have no other problem.
func (t *trailerCheck) ask(ctx context.Context, commit gitext.Commit) ([]check.Finding, error) {
	named := check.Trailers(commit.Message)
	misses := len(named) == 0 && t.checker.Habit.Trailers > 0 && saysFix().MatchString(commit.Subject())
	if len(commit.Parents) != 1 || len(named) == 0 && !misses {
		return nil, nil
	}
	q := szz.Question{Fix: commit.OID, Annotations: true, Opinion: szz.OpinionAlways, Max: 1, Index: t.repo.Indexed(ctx, commit.OID)}
	ans, err := t.engine.Answer(ctx, q, nil)
	if err != nil {
		return nil, err
	}
	f := check.Finding{Commit: commit.OID, Subject: commit.Subject()}
	other := ans.Answer.Opinion
	switch {
	case len(named) == 1 && other != nil:
		f.Trailer, f.Problem, f.Write = named[0].Text, check.Doubted, check.Format(other.Commit)
		f.Text = fmt.Sprintf("the ranking suspects another commit, with %.0f%%", 100*other.Probability)
	case misses && len(ans.Answer.Suspects) > 0 && ans.Answer.Suspects[0].Probability >= surelyMissed:
		first := ans.Answer.Suspects[0]
		f.Problem, f.Write = check.Missing, check.Format(first.Commit)
		f.Text = fmt.Sprintf("there is no trailer, and the ranking suspects a commit with %.0f%%", 100*first.Probability)
	default:
		return nil, nil
	}
	return []check.Finding{f}, nil
}
