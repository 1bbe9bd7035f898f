package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// FetchKey is the setting for --fetch. A repository cannot set it, because a fetch runs programs
// named in the repository's configuration.
const FetchKey = "agent.fetch"

// fetchAdvice precedes the command that fetches all objects.
const fetchAdvice = "--fetch fetches the objects that the answer needs; all objects are fetched by"

// damageAdvice replaces fetchAdvice if the repository is no partial clone, where nothing can be
// fetched.
const damageAdvice = "this is no partial clone, so it is damaged, and git fsck lists what it lacks; a remote repository may have it:"

// Unshallow is the command that turns a shallow clone into a complete one.
const Unshallow = "git fetch --unshallow"

// Fetcher returns the fetcher of missing objects, or nil if the user does not want to fetch or
// the repository is no partial clone. asked is --fetch or --no-fetch, or nil if neither is given.
func (a *App) Fetcher(ctx context.Context, repo *gitext.Repo, asked *bool) (*backfill.Fetcher, error) {
	if !repo.Partial() {
		return nil, nil
	}
	if asked == nil {
		wanted, err := a.fetchSetting(ctx)
		if err != nil {
			return nil, err
		}
		asked = &wanted
	}
	if !*asked {
		return nil, nil
	}
	return &backfill.Fetcher{Repo: repo, OnFetch: func(objects int, remote string) {
		a.Say("fetching %s from %s", agent.Plural(objects, "object"), ui.Printable(remote))
	}}, nil
}

// Clone records the gaps of the repository that affected the answers of a command.
type Clone struct {
	objects bool // an answer needs objects that are missing
	history bool // an answer may depend on history before the boundary of a shallow clone
}

// See records the gaps for one answer.
func (k *Clone) See(incomplete []string) {
	k.objects = k.objects || slices.Contains(incomplete, agent.LacksObjects)
	k.history = k.history || slices.Contains(incomplete, szz.LacksHistory)
}

// Advise prints why objects could not be fetched, and how to complete the clone. fetcher is nil
// without fetching.
func (k *Clone) Advise(ctx context.Context, a *App, fetcher *backfill.Fetcher) {
	if k.history {
		a.Hint(ctx, Unshallow)
	}
	switch {
	case !k.objects:
	case a.Repo != nil && !a.Repo.Partial():
		a.Hint(ctx, a.LackAdvice())
	case fetcher == nil:
		a.Hint(ctx, fetchAdvice+"\n"+gitext.FetchAll)
	case errors.Is(fetcher.Err(), backfill.ErrTrees):
		fmt.Fprintf(a.Stderr, "error: %s\n", ui.FatalText(fetcher.Err()))
		a.Hint(ctx, backfill.TreesAdvice)
	default:
		if err := fetcher.Err(); err != nil {
			fmt.Fprintf(a.Stderr, "error: %s\n", ui.FatalText(err))
		}
		a.Hint(ctx, gitext.FetchAll)
	}
}

// OrFetch adds to a fatal error the advice to use --fetch, or the reason why fetching did not
// help.
func (a *App) OrFetch(fetcher *backfill.Fetcher, err error) error {
	switch {
	case fetcher == nil && a.lacksObject(err): // the hint about err itself fetches all objects
		return WithHint(err, fetchAdvice)
	case fetcher == nil || err == nil || !errors.Is(fetcher.Err(), backfill.ErrTrees):
		return err
	}
	return WithHint(fmt.Errorf("%w; %w", err, backfill.ErrTrees), backfill.TreesAdvice)
}

// fetchSetting returns the value of agent.fetch.
func (a *App) fetchSetting(ctx context.Context) (bool, error) {
	return a.TrustedBool(ctx, FetchKey)
}

// TrustedBool returns the value of a setting that is on or off and that a repository cannot set. It
// is off by default. key is in lower case.
func (a *App) TrustedBool(ctx context.Context, key string) (bool, error) {
	config, err := a.Data.Config(ctx)
	if err != nil {
		return false, err
	}
	wanted := false
	for _, v := range config[key] {
		if !v.Trusted() {
			a.WarnUntrusted(key, v.Scope)
			continue
		}
		if err := CheckBool(key)(v); err != nil {
			return false, err
		}
		wanted, _ = gitconfig.ParseBool(v)
	}
	return wanted, nil
}

// CheckBool returns a function that returns an error for an invalid value of a setting that is on
// or off.
func CheckBool(key string) func(gitconfig.Value) error {
	return func(v gitconfig.Value) error {
		if _, err := gitconfig.ParseBool(v); err != nil {
			return &gitconfig.BadValueError{Key: key, Value: v, Err: err}
		}
		return nil
	}
}
