package verbs

import (
	"context"
	"errors"
	"io"

	"git-agent/agent/crash"
	"git-agent/agent/release"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// A crashRenderer prints answers about crashes in one form.
type crashRenderer interface {
	Crash(name string, report *crash.Report, ranking *crash.Answer) error
}

// crashOutput prints answers in the form of the options.
type crashOutput struct {
	crashRenderer                 // nil if the page takes its place
	page          *ui.Pager       // nil if no person reads the form
	html          *app.AnswerPage // nil if none is wanted
	sarif         *render.CrashSARIF
}

// Crash prints an answer in the form of the options, and adds it to the page.
func (o crashOutput) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	if o.crashRenderer != nil {
		if err := o.crashRenderer.Crash(name, report, ranking); err != nil {
			return err
		}
	}
	if o.html == nil {
		return nil
	}
	return o.html.Crash(name, report, ranking)
}

// renderer returns the output for a number of reports, with a page that may be nil.
func (c *Crash) renderer(ctx context.Context, a *app.App, repo *gitext.Repo, reports int, html *app.AnswerPage) crashOutput {
	if html != nil {
		html.Max = c.MaxCount
	}
	if c.Alone() {
		return crashOutput{html: html}
	}
	out := c.form(ctx, a, repo, reports)
	out.html = html
	if c.Affected {
		with := releasesCrash{ctx: ctx, a: a, repo: repo, flags: c.ReleaseFlags, crashRenderer: out.crashRenderer}
		if out.page != nil {
			with.page = out.page
		}
		out.crashRenderer = with
	}
	return out
}

// releasesCrash prints answers with the releases that have the bug.
type releasesCrash struct {
	crashRenderer
	ctx   context.Context
	a     *app.App
	repo  *gitext.Repo
	flags app.ReleaseFlags
	page  io.Writer // nil for JSON
}

// Crash prints an answer, and the releases that contain its first suspect.
func (r releasesCrash) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	if err := r.crashRenderer.Crash(name, report, ranking); err != nil || ranking == nil || len(ranking.Suspects) == 0 {
		return err
	}
	first := ranking.Suspects[0]
	return r.flags.PrintReleases(r.ctx, r.a, r.repo, release.Culprit{Commit: first.Commit, Probability: first.Probability}, r.page)
}

// form returns the output in the form of the options.
func (c *Crash) form(ctx context.Context, a *app.App, repo *gitext.Repo, reports int) crashOutput {
	end, at := app.LineEnd(c.Null), app.HereIn(repo)
	switch {
	case c.JSON:
		return crashOutput{crashRenderer: &render.CrashJSON{W: a.Raw, End: end, Max: c.MaxCount}}
	case c.SARIF:
		log := &render.CrashSARIF{W: a.Raw, End: end, Version: app.VersionString(), Max: c.MaxCount}
		return crashOutput{crashRenderer: log, sarif: log}
	case c.Format != nil:
		pieces, _ := render.ParseCrashFormat(*c.Format) // check rejects a wrong format
		return crashOutput{
			crashRenderer: localCrash{
				at,
				&render.CrashFormat{
					W:      a.Raw,
					Pieces: pieces,
					End:    end,
					Clean:  a.PersonReads(),
					Color:  render.HasColor(*c.Format) && a.WantColor(ctx),
					Max:    c.MaxCount,
				},
			},
		}
	}
	page := a.Page(ctx)
	if reports > 1 {
		page.Lines = 0 // start the pager at the first of several answers, as git log does
	}
	return crashOutput{page: page, crashRenderer: localCrash{at, &render.CrashHuman{
		W: page, Color: a.NewPalette(ctx), Width: a.TextWidth(), All: a.Flags.Verbose > 0, Max: c.MaxCount, Place: at.Path,
	}}}
}

// localCrash prints answers with commands that work in the current directory.
type localCrash struct {
	at app.Here
	crashRenderer
}

// Crash prints an answer.
func (l localCrash) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	if ranking != nil {
		local := *ranking
		local.Suspects = l.at.Suspects(ranking.Suspects)
		ranking = &local
	}
	return l.crashRenderer.Crash(name, report, ranking)
}

// failed notes a report without an answer, if the form supports this.
func (o crashOutput) failed(err error) {
	if o.sarif != nil {
		o.sarif.Failed(err)
	}
}

// Close prints the end of the output.
func (o crashOutput) Close() error {
	err := o.html.Close()
	switch {
	case o.sarif != nil:
		return errors.Join(err, o.sarif.Close())
	case o.page != nil:
		return errors.Join(err, o.page.Close())
	}
	return err
}
