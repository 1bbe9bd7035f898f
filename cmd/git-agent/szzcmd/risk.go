package szzcmd

import (
	"context"

	"git-agent/agent/szz"
	"git-agent/agent/szz/risk"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// checkRisk returns an error for options that do not go with --risk.
func (c *Szz) checkRisk() error {
	if c.Risk && (c.Check || c.SARIF || c.Affected || c.Journal != "" || c.Note || c.Trailer || c.Format != nil || c.ShowRequest ||
		c.verifies() || len(c.Not) > 0 || c.MaxCount != nil || c.Algorithm != "" || c.ModelFlags.Used()) {
		return app.Usagef("--risk goes with revisions, --staged, --worktree, --patch, --stdin, --skip and --json only")
	}
	return nil
}

// runRisk prints what history shows about the changes.
func (c *Szz) runRisk(ctx context.Context, a *app.App, repo *gitext.Repo) error {
	fixes, total, err := c.fixes(ctx, a, repo)
	if err != nil {
		return err
	}
	complete, err := c.completed(ctx, a, repo, total == 1)
	if err != nil {
		return err
	}
	meter := a.NewProgress("assessing")
	defer meter.End()
	here := app.HereIn(repo)
	people := &render.Risk{W: a.Stdout, Color: a.NewPalette(ctx), All: a.Flags.Verbose > 0, Path: here.Path, Command: here.Command}
	done, found := 0, 0
	for q, err := range fixes {
		if err != nil {
			return err
		}
		v, err := risk.Assess(ctx, repo, complete(q))
		if err != nil {
			return err
		}
		found += len(v.Findings)
		meter.Clear()
		if err := c.printRisk(a, people, v, q.Source); err != nil {
			return err
		}
		done++
		meter.Resume()
		meter.Update(done, total, "")
	}
	if found > 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}

// printRisk prints one answer.
func (c *Szz) printRisk(a *app.App, people *render.Risk, v *risk.Answer, source szz.Source) error {
	if c.JSON {
		return render.WriteJSON(a.Raw, render.RiskJSONOf(v), app.LineEnd(c.Null))
	}
	return people.Answer(v, source)
}
