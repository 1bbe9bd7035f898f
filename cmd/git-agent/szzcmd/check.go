package szzcmd

import (
	"context"

	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// These constants bound what --check asks the ranking.
const (
	mostAsked    = 20  // commits; for more, the ranking is asked only with -v
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
	e := &engine.Engine{Repo: repo, Build: app.BuildIdentity()}
	if c.Cache && !repo.Shallow() {
		e.Cache = a.Data.OpenCache(ctx, repo)
		defer e.Cache.Close() // an unstored answer only costs time
	}
	asks := total > 0 && total <= mostAsked || a.Flags.Verbose > 0
	t := &trailerCheck{engine.TrailerCheck{Engine: e, Asks: asks}, &out}
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
	trailers engine.TrailerCheck
	out      *render.CheckFindings
}

// check checks commits and prints the findings in their order.
func (t *trailerCheck) check(ctx context.Context, oids []gitext.OID) error {
	found, err := t.trailers.Check(ctx, oids)
	for _, f := range found {
		if err := t.out.Finding(f); err != nil {
			return err
		}
	}
	return err
}
