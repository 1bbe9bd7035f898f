package szzcmd

import (
	"context"
	"io"
	"strings"

	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// checkStat returns an error for options that do not go with --stat.
func (c *Szz) checkStat() error {
	switch {
	case c.Stat && (c.uncommitted() || c.Check || c.Risk || c.Affected || c.Journal != "" || c.Note || c.Trailer || c.Format != nil ||
		c.ShowRequest || c.verifies() || c.Crash != "" || c.Hint != "" || c.MaxCount != nil || c.ModelFlags.Used()):
		return app.Usagef("--stat goes with revisions, --stdin, --skip, --algorithm=rank, --json and --html only")
	case c.Stat && c.Algorithm != "" && c.Algorithm != "rank":
		return app.Usagef("--stat counts suspects by their probability, which --algorithm=%s does not give", c.Algorithm)
	}
	return nil
}

// runStat traces the fixes of a range, and prints the sums of their culprits.
func (c *Szz) runStat(ctx context.Context, a *app.App, repo *gitext.Repo) error {
	questions, total, err := c.questions(ctx, a, repo, nil)
	if err != nil {
		return err
	}
	e := c.engine(ctx, a, repo, nil)
	defer e.Cache.Close() // an unstored answer only costs time
	meter := a.NewProgress("tracing")
	defer meter.End()
	o, err := e.Sum(ctx, questions, c.workers(false), func(commits int) { meter.Update(commits, total, "") })
	meter.End()
	if err != nil {
		return err
	}
	if err := c.printStat(ctx, a, o); err != nil {
		return err
	}
	if o.Traced == 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}

// printStat prints an overview, and writes the page.
func (c *Szz) printStat(ctx context.Context, a *app.App, o *engine.Overview) error {
	page := func(w io.Writer) error { return render.StatHTML(w, o, strings.Join(c.Revisions, " ")) }
	if c.Alone() {
		return page(a.Raw)
	}
	if c.HTML.Given {
		if err := app.WriteFile(c.HTML.Name, 0o644, page); err != nil {
			return err
		}
	}
	if c.JSON {
		return render.WriteJSON(a.Raw, render.StatJSONOf(o), app.LineEnd(c.Null))
	}
	return render.Stat(a.Stdout, a.NewPalette(ctx), o, a.Flags.Verbose > 0)
}
