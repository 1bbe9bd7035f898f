package szzcmd

import (
	"context"
	"errors"
	"iter"

	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// ModelFlags are the shared options of szz and eval szz for a model.
type ModelFlags struct {
	app.VotingFlags `embed:"" set:"runs=fix <n> times, and decide by majority vote"`
	Calibration     string `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities with <file>, as written by eval szz --calibrate; default: agent.calibration"`
	Tools           bool   `negatable:"" default:"true" help:"let the model use the git tools"`
	DomainKnowledge bool   `negatable:"" default:"true" help:"give the model instructions on how to investigate"`
	Compression     bool   `negatable:"" default:"true" help:"condense what the model is shown"`
	Candidates      bool   `negatable:"" default:"true" help:"show the model what the offline engine found: the ranking, who wrote the lines, where names come from"`
	Ranking         bool   `negatable:"" default:"true" help:"show the model the ranking, and what its first commits changed"`
	ClaimCheck      bool   `negatable:"" default:"true" help:"check the model's claims against the history, and let it answer what is found"`
}

// Used reports whether any option is given that makes sense only with a model.
func (f *ModelFlags) Used() bool {
	return f.VotingFlags.Used() || f.Calibration != "" || len(f.Switches().Names()) > 0
}

// Override overrides the settings with the given options.
func (f *ModelFlags) Override(s *session.Settings) {
	f.ModelFlags.Override(s)
	if f.Calibration != "" {
		s.Calibration, s.From[app.SzzCalibration.Key] = f.Calibration, "--calibration"
	}
}

// Switches returns the parts of the method that the options turn off.
func (f *ModelFlags) Switches() szz.Switches {
	return szz.Switches{
		NoTools:           !f.Tools,
		NoDomainKnowledge: !f.DomainKnowledge,
		NoCompression:     !f.Compression,
		NoCandidates:      !f.Candidates,
		NoRanking:         !f.Ranking,
		NoClaimCheck:      !f.ClaimCheck,
	}
}

// NewAgent prepares the agent engine of szz for ensembles of the given number of runs. It
// warns about a calibration for another model or method, which the engine ignores.
func NewAgent(a *app.App, opened *session.Session, runs int, with szz.Switches) (*engine.Agent, error) {
	agent, basis, err := engine.NewAgent(opened, runs, with)
	if err != nil {
		return nil, err
	}
	agent.Calibration, err = app.SzzCalibration.For(a, opened.Settings, func() (szz.Basis, error) { return basis, nil })
	return agent, err
}

// openAgent prepares the agent engine, or returns nil if the offline engine answers. It also
// opens the traces for the runs, which the caller closes and which may be nil.
func (c *Szz) openAgent(ctx context.Context, a *app.App, repo *gitext.Repo) (*engine.Agent, *cache.Traces, error) {
	choice := app.EngineChoice{Named: c.Engine, Options: c.Used()}
	if c.Algorithm != "" {
		choice.Offline = "--algorithm=" + c.Algorithm
	}
	opened, traces, err := a.OpenModel(ctx, repo, choice, c.Override, c.ShowRequest)
	if opened == nil || err != nil {
		return nil, nil, err
	}
	c.agentRequired = choice.Insists(opened.Settings)
	agent, err := NewAgent(a, opened, c.RunCount(), c.Switches())
	if err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	return agent, traces, nil
}

// showRequests prints the first request about each fix, and escapes characters that control a
// terminal. It sends and records nothing.
func (c *Szz) showRequests(ctx context.Context, a *app.App, e *engine.Engine, questions iter.Seq2[szz.Question, error]) error {
	if e.Agent == nil {
		return app.WithHint(app.ErrNoModel, app.NoModelHint)
	}
	end := app.LineEnd(c.Null)
	for q, err := range questions {
		if err != nil {
			return err
		}
		body, err := e.Agent.FirstRequest(ctx, e.Repo, q)
		if err != nil {
			return err
		}
		if _, err := a.Raw.Write(append(quote.JSON(body), end...)); err != nil {
			return err
		}
	}
	return nil
}
