package verbs

import (
	"context"
	"errors"
	"path/filepath"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/input"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/session"
	"git-agent/agent/symbol"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// CrashModelFlags are the shared options of crash and eval crash for a model.
type CrashModelFlags struct {
	app.VotingFlags `embed:"" set:"runs=crash <n> times, and let the investigations vote; default: 3"`
	Calibration     string `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities with <file>, as written by eval crash --calibrate; default: agent.crashCalibration"`
	Tools           bool   `negatable:"" default:"true" help:"let the model use tools, and show it more than the report (the default); --no-tools leaves it the report alone"`
	Calls           bool   `negatable:"" default:"true" help:"let the model use the tools that read the report, the code and the history"`
	Ranking         bool   `negatable:"" default:"true" help:"show the model the ranking of the offline engine"`
	Code            bool   `negatable:"" default:"true" help:"show the model the code around the frames"`
	Changes         bool   `negatable:"" default:"true" help:"show the model the latest changes to that code"`
	Definitions     bool   `negatable:"" default:"true" help:"let the model look up definitions"`
	Raw             bool   `negatable:"" default:"true" help:"let the model read the sections of the report as they are, and not only their facts and places"`
	CommitSearch    bool   `name:"commit-search" negatable:"" default:"true" help:"let the model search commits by their messages and changes"`
	History         bool   `negatable:"" default:"true" help:"let the model see commits before the one that crashed"`
	Augmentation    bool   `negatable:"" default:"true" help:"list the files that only the offline engine found behind those that the model names"`
}

// Used reports whether any option is given that makes sense only with a model.
func (f *CrashModelFlags) Used() bool {
	return f.VotingFlags.Used() || f.Calibration != "" || len(f.Switches().Names()) > 0
}

// RunCount returns the number of investigations of each crash.
func (f *CrashModelFlags) RunCount() int {
	if f.Runs == nil {
		return investigate.DefaultRuns
	}
	return *f.Runs
}

// Switches returns the parts of the method that the options turn off.
func (f *CrashModelFlags) Switches() crash.Switches {
	return crash.Switches{
		NoTools: !f.Tools, NoCalls: !f.Calls, NoRanking: !f.Ranking, NoCode: !f.Code, NoChanges: !f.Changes,
		NoDefinitions: !f.Definitions, NoRaw: !f.Raw, NoCommitSearch: !f.CommitSearch, NoHistory: !f.History, NoAugmentation: !f.Augmentation,
	}
}

// Override overrides the settings with the given options.
func (f *CrashModelFlags) Override(s *session.Settings) {
	f.ModelFlags.Override(s)
	if f.Calibration != "" {
		s.CrashCalibration, s.From[app.CrashCalibration.Key] = f.Calibration, "--calibration"
	}
}

// engine returns the engine, and the traces for a model's runs, which the caller closes and which
// may be nil.
func (c *Crash) engine(ctx context.Context, a *app.App, repo *gitext.Repo) (*engine.Engine, *cache.Traces, error) {
	e := &engine.Engine{Repo: repo, Build: app.BuildIdentity()}
	choice := app.EngineChoice{Named: c.Engine, Options: c.Used() || c.ShowRequest}
	if c.Algorithm != "" {
		choice.Offline = "--algorithm=" + c.Algorithm
	}
	opened, traces, err := a.OpenModel(ctx, repo, choice, c.Override, c.ShowRequest)
	if opened == nil || err != nil {
		return e, nil, err
	}
	c.agentRequired = choice.Insists(opened.Settings)
	if e.Agent, err = engine.NewAgent(opened, c.RunCount()); err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	confinement, err := a.SandboxSettings(ctx, "")
	if err == nil {
		basis := func() (agent.Basis, error) { return e.Agent.Basis(crash.Question{Switches: c.Switches()}) }
		e.Agent.Calibration, err = app.CrashCalibration.For(a, opened.Settings, basis)
	}
	if err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	e.Agent.Definitions = symbol.Options{Sandbox: confinement.Level, Readable: confinement.Readable}
	if c.Cache && !repo.Shallow() && !c.ShowRequest {
		e.Cache = a.Data.OpenCache(ctx, repo)
	}
	return e, traces, nil
}

// dumpOf returns the file with the sections of a report, "" without a file that can be read
// again.
func dumpOf(name string, report *crash.Report) string {
	if len(report.Sections) == 0 || name == input.Stdin {
		return ""
	}
	path, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	return path
}

// showRequests prints the first request about each report, and escapes characters that control a
// terminal. It sends and records nothing.
func (c *Crash) showRequests(ctx context.Context, a *app.App, batch *crashBatch, e *engine.Engine, question crash.Question) error {
	if e.Agent == nil {
		return app.WithHint(app.ErrNoModel, app.NoModelHint)
	}
	return batch.each(ctx, func(name string, report *crash.Report) error {
		question := about(question, name, report)
		offline, err := e.Offline(ctx, question)
		if err != nil {
			return err
		}
		body, err := e.Agent.FirstRequest(ctx, engine.Inquiry{Repo: e.Repo, Question: question, Offline: offline})
		if err != nil {
			return err
		}
		_, err = a.Raw.Write(append(quote.JSON(body), app.LineEnd(c.Null)...))
		return err
	})
}
