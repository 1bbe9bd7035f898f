package verbs

import (
	"context"
	"errors"

	"git-agent/agent/fix"
	"git-agent/agent/fix/engine"
	"git-agent/agent/session"
	"git-agent/agent/symbol"
	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Used reports whether any option is given that makes sense only with a model.
func (w *FixWork) Used() bool {
	return w.ModelFlags.Used() || w.Strategy != "" || w.Samples != 1 || w.Tools != "" || w.EditFormat != "" || w.Review
}

// wantedPatches is the number of plausible patches that the offline engine looks for, to choose
// the best one.
const wantedPatches = 3

// Effort returns the limits of the work.
func (w *FixWork) Effort() engine.Effort {
	return engine.Effort{Coverage: w.Coverage, Abstain: w.Abstain, Wall: w.Time, Tries: w.Tries, Want: wantedPatches}
}

// engine returns the engine, and a function that closes its resources.
func (c *Fix) engine(ctx context.Context, a *app.App, repo *gitext.Repo, q fix.Question) (e *engine.Engine, closing func() error, err error) {
	none := func() error { return nil }
	e = &engine.Engine{Repo: repo, Effort: c.Effort(), Fetch: c.fetch, Kept: setupFolder(ctx, a, repo)}
	e.Effort.Locate = c.Locate
	if c.Good != "" {
		if e.Effort.Good, err = repo.Resolve(ctx, c.Good); err != nil {
			return nil, none, err
		}
	}
	if c.Locate && q.Problem.Test == "" {
		return e, none, nil // no command is run
	}
	if e.Trial, err = c.trial(ctx, a, repo); err != nil {
		return nil, none, err
	}
	choice := app.EngineChoice{Named: c.Engine, Options: c.Used() || c.ShowRequest}
	if c.Locate {
		return e, none, nil // no model is asked
	}
	opened, traces, err := a.OpenModel(ctx, repo, choice, c.Override, c.ShowRequest)
	if opened == nil || err != nil {
		return e, none, err
	}
	c.agentRequired = choice.Insists(opened.Settings)
	e.Effort.GoOn = !c.agentRequired
	e.Agent, err = c.NewFixAgent(opened, e.Trial)
	if err != nil {
		return nil, none, errors.Join(err, traces.Close())
	}
	kept := a.Data.OpenCache(ctx, repo)
	e.Agent.Memory = kept
	return e, func() error { kept.Close(); return traces.Close() }, nil
}

// NewFixAgent returns the agent engine, whose tools have the same confinement as the commands.
func (w *FixWork) NewFixAgent(opened *session.Session, how trial.Options) (*engine.Agent, error) {
	agent, err := engine.NewAgent(opened)
	if err == nil {
		agent.Definitions = symbol.Options{Sandbox: how.Sandbox, Readable: how.Readable}
	}
	return agent, err
}

// trial returns the options for running commands. Compilers' output is kept from call to call.
func (w *FixWork) trial(ctx context.Context, a *app.App, repo *gitext.Repo) (trial.Options, error) {
	opt, err := w.Confined(ctx, a)
	opt.Compiled = a.CompiledFolder(ctx, repo)
	return opt, err
}

// showRequest prints the first request, and escapes characters that control a terminal. It sends
// and records nothing.
func (c *Fix) showRequest(ctx context.Context, a *app.App, e *engine.Engine, q fix.Question) error {
	if e.Agent == nil {
		return app.WithHint(app.ErrNoModel, app.NoModelHint)
	}
	body, declined, err := e.FirstRequest(ctx, q)
	if err != nil {
		return explainSetup(a, err)
	}
	if declined != "" {
		return errors.New(declined)
	}
	_, err = a.Raw.Write(append(quote.JSON(body), '\n'))
	return err
}
