package main

import (
	"context"
	"errors"

	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// modelSettings reads the settings of the model from the environment and git's
// configuration.
func (a *app) modelSettings(ctx context.Context) (session.Settings, error) {
	config, err := a.data.Config(ctx)
	if err != nil {
		return session.Settings{}, err
	}
	return session.Read(config, a.env.get, a.warnUntrusted)
}

// newSession opens a session with the model that the settings name. Runs are
// recorded in traces, which the caller closes; nil records nothing. With preview,
// the session is not used to send anything.
func (a *app) newSession(ctx context.Context, s session.Settings, traces *cache.Traces, preview bool) (*session.Session, error) {
	version, err := engineVersion()
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, session.Options{
		Settings: s, Env: a.env.get, Secrets: a.keys(), Traces: traces, Preview: preview,
		Client: versionString(), Version: version,
		Say: func(text string) { a.say("%s", layout.Printable(text)) }, Warn: a.warnOnce,
	})
}

// openModel decides which engine answers questions about a repository, and opens a
// session with the model, or returns nil if the offline engine answers. apply
// overrides the settings with options. The session records its runs in the traces,
// which the caller closes; they may be nil. With preview, the session is not used to
// send anything, and nothing is recorded.
func (a *app) openModel(ctx context.Context, repo *gitext.Repo, choice engineChoice, apply func(*session.Settings), preview bool) (*session.Session, *cache.Traces, error) {
	var settings session.Settings
	var bad error // a value that matters only if a model is asked
	if choice.named != "offline" {
		var err error
		settings, err = a.modelSettings(ctx)
		var value *gitconfig.BadValueError
		if errors.As(err, &value) && value.Key != session.EngineKey {
			bad = err
		} else if err != nil {
			return nil, nil, err
		}
		apply(&settings)
	}
	asked, err := a.chooseEngine(choice, settings)
	if err != nil || !asked {
		return nil, nil, err
	}
	if bad != nil {
		return nil, nil, bad
	}
	var traces *cache.Traces
	if !preview {
		if traces, err = a.openRepoTraces(ctx, repo); err != nil {
			return nil, nil, err
		}
	}
	opened, err := a.newSession(ctx, settings, traces, preview)
	if err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	return opened, traces, nil
}

// openRepoTraces opens the file in which runs about a repository are recorded, and
// creates it. If it cannot be opened, the user is warned and the traces are nil: the
// model works unrecorded. It fails only if it is interrupted.
func (a *app) openRepoTraces(ctx context.Context, repo *gitext.Repo) (*cache.Traces, error) {
	k := a.data.Folders(ctx, repo.CommonDir())
	traces, err := a.data.OpenTraces(ctx, k.State, k.StateErr)
	if err == nil {
		return traces, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	a.warnOnce(session.Unrecorded(err))
	return nil, nil
}
