package szzcmd

import (
	"context"
	"errors"
	"slices"

	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// output prints answers in the form of the options. It opens the pager at the
// first answer.
type output struct {
	a      *app.App
	repo   *gitext.Repo
	cmd    *Szz
	events *app.EventLog
	total  int
	at     app.Here // the user's current directory
	page   *ui.Pager
	html   *app.AnswerPage // nil if none is wanted
	form   renderer        // nil if the page takes its place
}

// answer prints the answer for one fix, writes it to the event log, and adds it to the page.
func (o *output) answer(ctx context.Context, ans render.Answer) error {
	if o.form == nil && !o.cmd.Alone() {
		if err := o.open(ctx); err != nil {
			return err
		}
	}
	if o.cmd.hidesSuspects() {
		ans = ans.WithoutSuspects()
	}
	ans, err := o.withRequests(ctx, ans)
	if err != nil {
		return err
	}
	if o.events != nil {
		o.events.Answer(app.EventSubject{Fix: ans.Answer.Fix}, render.AnswerJSONOf(ans))
	}
	if o.cmd.Trailer || o.cmd.Format != nil {
		o.warn(ans)
	}
	if err := o.show(ctx, ans); err != nil || o.html == nil {
		return err
	}
	return o.html.Answer(ans)
}

// show prints the answer in the form of the options, unless the page takes its place.
func (o *output) show(ctx context.Context, ans render.Answer) error {
	if o.form == nil {
		return nil
	}
	if belowFloor(ans.Answer, o.cmd.floor) {
		warnBelowFloor(ctx, o.a, ans.Answer, o.cmd.floor)
		return nil
	}
	o.tellRequest(ans)
	if !o.cmd.JSON && o.cmd.kept == nil {
		local := *ans.Answer
		local.Suspects = o.at.Answer(local.Suspects)
		if local.Owner != nil {
			local.Owner = &o.at.Answer([]szz.Suspect{*local.Owner})[0]
		}
		ans.Answer = &local
	}
	return o.form.Answer(ans)
}

// warn prints the notes of an answer that deviates from the user's request: the
// model failed, or
// --verify-cmd was not run. It is for --format and --trailer, which print no
// notes.
func (o *output) warn(ans render.Answer) {
	v := ans.Answer
	fellBack := v.Agent != nil && v.Agent.Fallback != ""
	unconfirmed := o.cmd.verifies() && len(v.Suspects) > 0 &&
		!slices.ContainsFunc(v.Suspects, func(s szz.Suspect) bool { return s.Confirmation != nil })
	if !fellBack && !unconfirmed {
		return
	}
	for _, note := range v.Notes {
		o.a.Say("warning: %s: %s", v.Fix.Short(), ui.OneLine(note))
	}
}

// open chooses the form.
func (o *output) open(ctx context.Context) error {
	if !o.cmd.Affected {
		o.form = o.choose(ctx)
		return nil
	}
	people := render.Affected{Color: o.a.NewPalette(ctx), All: o.a.Flags.Verbose > 0}
	if !o.cmd.JSON && !o.cmd.OSV {
		o.page = o.a.Page(ctx)
		people.W = o.page
	}
	form, err := newAffectedForm(ctx, o.a, o.repo, o.cmd.AffectedFlags, people)
	if err != nil {
		return err
	}
	form.json, form.end = o.cmd.JSON, app.LineEnd(o.cmd.Null)
	o.form = form
	return nil
}

// choose returns the renderer for the options.
func (o *output) choose(ctx context.Context) renderer {
	end := app.LineEnd(o.cmd.Null)
	switch {
	case o.cmd.kept != nil:
		return o.cmd.kept
	case o.cmd.JSON:
		return &render.JSON{W: o.a.Raw, End: end}
	case o.cmd.Trailer:
		return &render.Trailer{W: o.a.Raw, End: end, Cc: o.cmd.Cc}
	case o.cmd.Format != nil:
		pieces, _ := render.ParseFormat(*o.cmd.Format) // check rejects a wrong format
		return &render.Format{
			W:      o.a.Raw,
			Pieces: pieces,
			End:    end,
			Clean:  o.a.PersonReads(),
			Color:  render.HasColor(*o.cmd.Format) && o.a.WantColor(ctx),
		}
	}
	if o.cmd.Stdin && ui.IsTerminal(o.a.Stdin) {
		return render.NewHuman(
			o.a.Stdout,
			o.a.NewPalette(ctx),
			o.a.TextWidth(),
			o.a.Flags.Verbose > 0,
			o.at.Path,
		) // no pager, because the user types revisions
	}
	o.page = o.a.Page(ctx)
	if o.total != 1 {
		o.page.Lines = 0 // start the pager at the first of several answers, as git log does
	}
	return render.NewHuman(o.page, o.a.NewPalette(ctx), o.a.TextWidth(), o.a.Flags.Verbose > 0, o.at.Path)
}

// paging reports whether a pager is running.
func (o *output) paging() bool { return o.page != nil && o.page.Paging() }

func (o *output) close() error {
	err := o.html.Close()
	if o.page == nil {
		return err
	}
	return errors.Join(err, o.page.Close())
}
