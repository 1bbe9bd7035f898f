package verbs

import (
	"context"
	"errors"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
)

// groups prints the reports in groups, with the files behind the first report of each.
func (c *Crash) groups(ctx context.Context, a *app.App, batch *crashBatch, e *engine.Engine, question crash.Question) (err error) {
	var members []input.Member
	var typed *crash.Report // the report from standard input, which cannot be read again
	failed := batch.each(ctx, func(name string, report *crash.Report) error {
		if name == input.Stdin {
			typed = report
		}
		members = append(members, input.MemberOf(name, report))
		return nil
	})
	if status := app.ExitStatus(0); failed != nil && !errors.As(failed, &status) {
		return failed
	}
	question.Suspects, question.AsReported = 0, true // a group is of functions and files
	tally, shown := crashTally{ExitTally: app.ExitTally{AgentRequired: c.agentRequired}, named: c.MaxCount == 0}, []render.CrashGroup{}
	summaries := input.Summarize(members)
	for i, s := range summaries {
		batch.meter.Update(i, len(summaries), s.Members[0])
		g := render.CrashGroup{Summary: s}
		if g.Answer, err = c.rankFirst(ctx, batch, e, question, s.Members[0], typed); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if endsBatch(err) {
				return err
			}
			batch.warn(ctx, fmt.Errorf("%s: %w", input.Title(s.Members[0]), err))
			failed = app.ExitStatus(app.ExitFatal)
		}
		if g.Answer != nil {
			tally.add(g.Answer)
			c.lacks.See(g.Answer.Incomplete)
		}
		shown = append(shown, g)
	}
	batch.meter.End()
	if err := c.printGroups(ctx, a, e, shown); err != nil || failed != nil {
		return errors.Join(err, failed)
	}
	return tally.status()
}

// rankFirst ranks the files behind the first report of a group.
func (c *Crash) rankFirst(
	ctx context.Context,
	batch *crashBatch,
	e *engine.Engine,
	question crash.Question,
	name string,
	typed *crash.Report,
) (ranking *crash.Answer, err error) {
	if c.MaxCount == 0 {
		return nil, nil // no file is printed
	}
	question.Report = typed
	if name != input.Stdin {
		if question.Report, err = batch.reader.Read(ctx, name); err != nil {
			return nil, err
		}
	}
	ans, err := e.Answer(ctx, question, func(agent.Event) {})
	if err != nil {
		return nil, err
	}
	ans.End(ctx)
	return ans.Answer, spentOn(e, ans.Answer)
}

func (c *Crash) printGroups(ctx context.Context, a *app.App, e *engine.Engine, groups []render.CrashGroup) error {
	if c.JSON {
		return render.WriteCrashGroupsJSON(a.Raw, groups, c.MaxCount, app.LineEnd(c.Null))
	}
	page := a.Page(ctx)
	r := &render.CrashGroups{
		W: page, Color: a.NewPalette(ctx), Width: a.TextWidth(), All: a.Flags.Verbose > 0, Max: c.MaxCount, Place: app.HereIn(e.Repo).Path,
	}
	return errors.Join(r.Groups(groups), page.Close())
}
