package investigate

import (
	"context"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/session"
	"git-agent/prompts"
)

// investigate performs the runs and returns them in the order of their numbers.
func (d *investigation) investigate(ctx context.Context) ([]crash.Run, error) {
	prompt, err := d.prompt(ctx)
	if err != nil {
		return nil, err
	}
	return session.Ensemble[crash.Run]{
		Size: d.opt.Runs, Ledger: d.opt.Ledger, Noun: "investigations", OnEvent: d.opt.OnEvent,
		Do: func(ctx context.Context, k int, listen func(agent.Event)) (crash.Run, session.Ending, error) {
			run, endsAll, err := d.converse(ctx, k, prompt, listen)
			return run, session.Ending{Answered: run.Turns > 0, CostUSD: run.Usage.CostUSD, EndsAll: endsAll}, err
		},
	}.Run(ctx)
}

// converse performs the k-th conversation. endsAll reports whether it failed for a reason that
// would end every other one too.
func (d *investigation) converse(ctx context.Context, k int, prompt string, listen func(agent.Event)) (run crash.Run, endsAll bool, err error) {
	report, err := newReportTool(d)
	if err != nil {
		return crash.Run{}, false, err
	}
	loop, err := d.loop(k, report)
	if err != nil {
		return crash.Run{}, false, err
	}
	loop.Prompt, loop.OnEvent = prompt, listen
	out, endsAll, err := session.Converse(ctx, &loop)
	if err != nil {
		return run, endsAll, err
	}
	run, err = report.account(out)
	return run, endsAll, err
}

// loop prepares the k-th conversation, except for its first prompt.
func (d *investigation) loop(k int, report *reportTool) (loop agent.Loop, err error) {
	loop = agent.Loop{
		Model: d.opt.Model, Name: d.opt.ModelName,
		Limits: d.opt.Limits, MaxOutput: d.opt.MaxOutput, Unpriced: d.opt.Unpriced, Ledger: d.opt.Ledger,
		Text: report.text, Mask: d.opt.Mask,
	}
	if loop.System, err = d.system(); err != nil {
		return loop, err
	}
	last, err := prompts.Get("crash/lastword")
	if err != nil {
		return loop, err
	}
	loop.LastWord = last.Text
	loop.Tools = append(slices.Clone(d.calls), report)
	if d.opt.Journal != nil {
		loop.Journal, err = d.opt.Journal(k)
	}
	return loop, err
}

// account makes the record of a finished conversation. A refused claim stands if the conversation
// ended before the next claim.
func (t *reportTool) account(out agent.Outcome) (crash.Run, error) {
	run := crash.Run{RunReport: out.Report(0)}
	if !out.Final.Final {
		run.Claim = t.pending
		return run, nil
	}
	if err := out.ReadFinal(&run.Claim); err != nil {
		return run, err
	}
	if len(run.Claim.Files) == 0 {
		run.Status = agent.StatusNothing
	}
	return run, nil
}
