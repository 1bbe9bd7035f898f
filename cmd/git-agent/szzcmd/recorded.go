package szzcmd

import (
	"context"
	"errors"

	"git-agent/agent/szz/engine"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// Runs are the recorded runs of szz.
var Runs = app.RecordedVerb{Name: "szz", Kind: engine.Kind, Read: func(t *trace.Trajectory) (app.RecordedQuestion, error) {
	spec, err := engine.SpecOf(t)
	return recordedFix{spec}, err
}}

// recordedFix is the fix of a recorded run.
type recordedFix struct{ spec engine.Spec }

func (r recordedFix) Subject() string { return r.spec.Fix.Short() }

func (r recordedFix) Plain() bool { return r.spec.Question().Switches.NoCompression }

func (r recordedFix) Replay(ctx context.Context, _ *app.App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error) {
	return engine.Replay(ctx, repo, t, r.spec, strict, plain)
}

func (r recordedFix) Resume(ctx context.Context, a *app.App, in app.Resumption) (app.ResumedAnswer, error) {
	who, err := NewAgent(a, in.Opened, 1, r.spec.Question().Switches)
	if err != nil {
		return nil, err
	}
	found, err := who.Resume(ctx, in.Repo, r.spec.Question(), in.Reopen)
	switch {
	case err != nil:
		return nil, err
	case found.Failed != nil && found.Answer.Unanswered():
		return nil, found.Failed
	}
	return resumedFix{a, in.Repo, render.Answer{Result: engine.Result{Answer: found.Answer}}}, nil
}

// resumedFix is the answer of a resumed run of szz, without the commit of the fix.
type resumedFix struct {
	app  *app.App
	repo *gitext.Repo
	ans  render.Answer
}

func (r resumedFix) Status() string {
	if reports := r.ans.Answer.Agent.RunReports(); len(reports) > 0 {
		return reports[0].Status
	}
	return ""
}

func (r resumedFix) Print(ctx context.Context, json bool) (err error) {
	show := &output{a: r.app, repo: r.repo, cmd: &Szz{JSON: json}, total: 1, at: app.HereIn(r.repo)}
	defer func() { err = errors.Join(err, show.close()) }()
	ans := r.ans
	if ans.Fix, err = r.repo.Commit(ctx, ans.Answer.Fix); err != nil {
		return err
	}
	return show.answer(ctx, ans)
}

func (r resumedFix) Exit() error {
	tally := app.ExitTally{AgentRequired: true}
	tally.Add((&Szz{}).tallied(r.ans))
	return tally.Status()
}
