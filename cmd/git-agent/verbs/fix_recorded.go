package verbs

import (
	"context"
	"errors"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/engine"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
)

// fixRuns are the recorded trajectories of fix.
var fixRuns = app.RecordedVerb{Name: "fix", Kind: engine.Kind, Read: func(t *trace.Trajectory) (app.RecordedQuestion, error) {
	spec, err := engine.SpecOf(t)
	return recordedRepair{spec}, err
}}

// recordedRepair is the bug of a recorded trajectory.
type recordedRepair struct{ spec engine.Spec }

func (r recordedRepair) Subject() string { return "a repair of " + r.spec.Commit.Short() }

// plain is false: the tools of fix have no uncondensed form.
func (r recordedRepair) Plain() bool { return false }

func (r recordedRepair) Replay(ctx context.Context, a *app.App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error) {
	if plain {
		return trace.Played{}, errors.New("--plain is for runs of szz")
	}
	e, err := r.engine(ctx, a, repo)
	if err != nil {
		return trace.Played{}, err
	}
	return e.Replay(ctx, t, r.spec, strict)
}

// engine returns the engine that works on the problem again. The current settings confine its
// commands.
func (r recordedRepair) engine(ctx context.Context, a *app.App, repo *gitext.Repo) (*engine.Engine, error) {
	work := defaultFixWork()
	how, err := work.trial(ctx, a, repo)
	return &engine.Engine{Repo: repo, Effort: work.Effort(), Trial: how, Kept: setupFolder(ctx, a, repo)}, err
}

func (r recordedRepair) Resume(ctx context.Context, a *app.App, in app.Resumption) (app.ResumedAnswer, error) {
	e, err := r.engine(ctx, a, in.Repo)
	if err != nil {
		return nil, err
	}
	if e.Agent, err = engine.NewAgent(in.Opened); err != nil {
		return nil, err
	}
	ans, err := e.Resume(ctx, r.spec, in.Reopen, func(agent.Event) {})
	if err != nil {
		return nil, err
	}
	return resumedRepair{a, in.Repo, r.spec.Commit, ans.Answer}, nil
}

// resumedRepair is the answer of a resumed trajectory.
type resumedRepair struct {
	app    *app.App
	repo   *gitext.Repo
	commit gitext.OID
	answer *fix.Answer
}

func (r resumedRepair) Status() string {
	if reports := r.answer.Agent.RunReports(); len(reports) > 0 {
		return reports[0].Status
	}
	return ""
}

func (r resumedRepair) Print(ctx context.Context, json bool) error {
	c := Fix{JSON: json}
	return c.print(ctx, r.app, r.repo, r.commit, r.answer, nil)
}

func (r resumedRepair) Exit() error {
	c := Fix{agentRequired: true}
	return c.status(r.answer)
}
