package investigate

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/prompts"
)

// investigate makes the runs and returns them in the order of their numbers.
func (d *investigation) investigate(ctx context.Context) ([]szz.Run, error) {
	precedents := map[gitext.OID]string{} // as described in the first prompt
	prompt, err := d.prompt(ctx, precedents)
	if err != nil {
		return nil, err
	}
	return session.Ensemble[szz.Run]{
		Size: d.opt.Runs, Ledger: d.opt.Ledger, Noun: "investigations", OnEvent: d.opt.OnEvent,
		Do: func(ctx context.Context, k int, listen func(agent.Event)) (szz.Run, session.Ending, error) {
			run, endsAll, err := d.converse(ctx, k, prompt, precedents, listen)
			return run, session.Ending{Answered: run.Turns > 0, CostUSD: run.Usage.CostUSD, EndsAll: endsAll}, err
		},
	}.Run(ctx)
}

// converse makes the k-th conversation. endsAll reports whether it failed for a reason
// that would end every other one too.
func (d *investigation) converse(
	ctx context.Context,
	k int,
	prompt string,
	precedents map[gitext.OID]string,
	listen func(agent.Event),
) (run szz.Run, endsAll bool, err error) {
	report, err := newReportTool(d, precedents)
	if err != nil {
		return szz.Run{}, false, err
	}
	loop, err := d.loop(k, report)
	if err != nil {
		return szz.Run{}, false, err
	}
	loop.Prompt, loop.OnEvent = prompt, listen
	out, endsAll, err := session.Converse(ctx, &loop)
	if err != nil {
		return szz.Run{}, false, err
	}
	run, err = report.account(out)
	return run, endsAll, err
}

// loop prepares the k-th conversation, except for its first prompt.
func (d *investigation) loop(k int, report *reportTool) (loop agent.Loop, err error) {
	loop = agent.Loop{
		Model: d.opt.Model, Name: d.opt.ModelName,
		Limits: d.opt.Limits, MaxOutput: d.opt.MaxOutput, Unpriced: d.opt.Unpriced, Ledger: d.opt.Ledger,
		Text: report.text, Mask: d.opt.Mask, Repeats: d.opt.NoCompression,
	}
	if loop.System, err = d.system(); err != nil {
		return loop, err
	}
	last, err := prompts.Get("szz/lastword")
	if err != nil {
		return loop, err
	}
	loop.LastWord = last.Text
	if len(d.names.order) == 0 { // otherwise the prompt names the owners of the lines
		loop.Needs = []agent.Deed{agent.DeedBlame}
	}
	if !d.opt.NoTools {
		loop.Tools = d.box.Tools()
		if d.opt.Test != nil {
			test, err := newTestTool(d)
			if err != nil {
				return loop, err
			}
			loop.Tools = append(loop.Tools, test)
		}
	}
	loop.Tools = append(loop.Tools, report)
	if d.opt.Journal != nil {
		loop.Journal, err = d.opt.Journal(k)
	}
	return loop, err
}

// account makes the record of an ended conversation. An answer with an objection stands
// if the conversation ended before the model answered the objection.
func (t *reportTool) account(out agent.Outcome) (szz.Run, error) {
	run := szz.Run{RunReport: out.Report(t.objections)}
	if !out.Final.Final {
		run.Claims = t.pending
		return run, nil
	}
	if err := out.ReadFinal(&run.Claims); err != nil {
		return run, err
	}
	if len(run.Claims) == 0 {
		run.Status = agent.StatusNothing
	}
	return run, nil
}
