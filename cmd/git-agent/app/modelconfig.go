package app

import (
	"context"
	"errors"

	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// ModelSettings reads the settings of the model from the environment and git's
// configuration.
func (a *App) ModelSettings(ctx context.Context) (session.Settings, error) {
	config, err := a.Data.Config(ctx)
	if err != nil {
		return session.Settings{}, err
	}
	return session.Read(config, a.Env.Get, a.WarnUntrusted)
}

// NewSession opens a session with the model in the settings. Runs are recorded in traces, which
// the caller closes; nil records nothing. With preview, the session sends nothing.
func (a *App) NewSession(ctx context.Context, s session.Settings, traces *cache.Traces, preview bool) (*session.Session, error) {
	version, err := EngineVersion()
	if err != nil {
		return nil, err
	}
	var follow session.Follow
	if !preview {
		if follow, err = a.follow(ctx); err != nil {
			return nil, err
		}
	}
	return session.Open(ctx, session.Options{
		Follow: follow, Settings: s, Env: a.Env.Get, Secrets: a.Keys(), Traces: traces, Preview: preview,
		Client: VersionString(), Version: version,
		Say: func(text string) { a.Say("%s", ui.Printable(text)) }, Warn: a.WarnOnce,
	})
}

// OpenModel chooses the engine for questions about a repository, and opens a session with the
// model, or returns nil for the offline engine. apply overrides the settings with options. The
// session records its runs in the returned traces, which may be nil and which the caller closes.
// With preview, the session sends and records nothing.
func (a *App) OpenModel(
	ctx context.Context,
	repo *gitext.Repo,
	choice EngineChoice,
	apply func(*session.Settings),
	preview bool,
) (*session.Session, *cache.Traces, error) {
	var settings session.Settings
	var bad error // a bad value that matters only for a model
	if choice.Named != "offline" {
		var err error
		settings, err = a.ModelSettings(ctx)
		var value *gitconfig.BadValueError
		if errors.As(err, &value) && value.Key != session.EngineKey {
			bad = err
		} else if err != nil {
			return nil, nil, err
		}
		apply(&settings)
	}
	asked, err := a.ChooseEngine(choice, settings)
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
	opened, err := a.NewSession(ctx, settings, traces, preview)
	if err != nil {
		return nil, nil, errors.Join(err, traces.Close())
	}
	return opened, traces, nil
}

// openRepoTraces opens or creates the file for recorded runs about a repository. If that fails,
// it warns and returns nil traces: the model works unrecorded. It returns an error only after an
// interrupt.
func (a *App) openRepoTraces(ctx context.Context, repo *gitext.Repo) (*cache.Traces, error) {
	k := a.Data.Folders(ctx, repo.CommonDir())
	traces, err := a.Data.OpenTraces(ctx, k.State, k.StateErr)
	if err == nil {
		return traces, nil
	}
	if ctx.Err() != nil {
		return nil, err
	}
	a.WarnOnce(session.Unrecorded(err))
	return nil, nil
}

// Keys returns the API keys in the environment of this process.
func (a *App) Keys() []string {
	var keys []string
	for _, name := range session.KeyVariables {
		if key := a.Env.Get(name); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// OpenOwnTraces opens the recorded runs without a repository, such as evaluations.
func (a *App) OpenOwnTraces(ctx context.Context) (*cache.Traces, error) {
	own, err := a.Data.User(ctx).Own(place.State)
	return a.Data.OpenTraces(ctx, own, err)
}
