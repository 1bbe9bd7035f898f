package verbs

import (
	"context"
	"errors"

	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
)

// crashRuns are the recorded runs of crash.
var crashRuns = app.RecordedVerb{Name: "crash", Kind: engine.Kind, Read: func(t *trace.Trajectory) (app.RecordedQuestion, error) {
	spec, err := engine.SpecOf(t)
	return recordedCrash{spec}, err
}}

// recordedCrash is the crash of a recorded run.
type recordedCrash struct{ spec engine.Spec }

func (r recordedCrash) Subject() string { return "a crash at " + r.spec.Commit.Short() }

// plain is false: the tools of crash have no uncondensed form.
func (r recordedCrash) Plain() bool { return false }

func (r recordedCrash) Replay(ctx context.Context, _ *app.App, repo *gitext.Repo, t *trace.Trajectory, strict, plain bool) (trace.Played, error) {
	if plain {
		return trace.Played{}, errors.New("--plain is for runs of szz")
	}
	return engine.Replay(ctx, repo, t, r.spec, strict)
}

func (r recordedCrash) Resume(ctx context.Context, a *app.App, in app.Resumption) (app.ResumedAnswer, error) {
	q, err := r.spec.Question()
	if err != nil {
		return nil, err
	}
	who, err := engine.NewAgent(in.Opened, 1)
	if err != nil {
		return nil, err
	}
	if who.Calibration, err = app.CrashCalibration.Configured(in.Opened.Settings); err != nil {
		return nil, err
	}
	found, err := who.Resume(ctx, in.Repo, q, in.Reopen)
	switch {
	case err != nil:
		return nil, err
	case found.Failed != nil && found.Answer.Unanswered():
		return nil, found.Failed
	}
	return resumedCrash{a, in.Repo, q.Report, found.Answer}, nil
}

// resumedCrash is the answer of a resumed run of crash.
type resumedCrash struct {
	app     *app.App
	repo    *gitext.Repo
	report  *crash.Report
	ranking *crash.Answer
}

func (r resumedCrash) Status() string {
	if reports := r.ranking.Agent.RunReports(); len(reports) > 0 {
		return reports[0].Status
	}
	return ""
}

func (r resumedCrash) Print(ctx context.Context, json bool) (err error) {
	c := Crash{JSON: json, MaxCount: defaultCrashFiles}
	show := c.renderer(ctx, r.app, r.repo, 1, nil)
	defer func() { err = errors.Join(err, show.Close()) }()
	return show.Crash(input.Stdin, r.report, r.ranking)
}

// defaultCrashFiles is the default of crash --max-count.
const defaultCrashFiles = 5

func (r resumedCrash) Exit() error {
	tally := app.ExitTally{AgentRequired: true}
	tally.Add(talliedCrash(r.ranking))
	return tally.Status()
}
