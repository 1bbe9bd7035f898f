package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// fetchKey is the setting that stands for --fetch. A repository cannot set it, because
// a fetch runs what the repository's configuration names.
const fetchKey = "agent.fetch"

// fetchAdvice stands before the command that fetches all objects.
const fetchAdvice = "--fetch fetches the objects that the answer needs; all objects are fetched by"

// damageAdvice stands in its place if the repository is no partial clone, so that nothing is
// fetched for an answer.
const damageAdvice = "this is no partial clone, so it is damaged, and git fsck lists what it lacks; a remote repository may have it:"

// unshallow is the command that turns a shallow clone into a complete one.
const unshallow = "git fetch --unshallow"

// fetcher returns what fetches missing objects, or nil if the user has not asked for
// that, or if the repository is no partial clone. asked is --fetch or --no-fetch, or
// nil if neither is given.
func (a *app) fetcher(ctx context.Context, repo *gitext.Repo, asked *bool) (*backfill.Fetcher, error) {
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
		a.say("fetching %s from %s", agent.Plural(objects, "object"), layout.Printable(remote))
	}}, nil
}

// clone records what the repository lacked for the answers of a command.
type clone struct {
	objects bool // an answer needs objects that are missing
	history bool // an answer may depend on history before the boundary of a shallow clone
}

// see records what one answer lacked.
func (k *clone) see(incomplete []string) {
	k.objects = k.objects || slices.Contains(incomplete, agent.LacksObjects)
	k.history = k.history || slices.Contains(incomplete, szz.LacksHistory)
}

// advise prints why objects could not be fetched, and how to get what the clone lacks.
// fetcher is nil if nothing was to be fetched.
func (k *clone) advise(ctx context.Context, a *app, fetcher *backfill.Fetcher) {
	if k.history {
		a.hint(ctx, unshallow)
	}
	switch {
	case !k.objects:
	case a.repo != nil && !a.repo.Partial():
		a.hint(ctx, damageAdvice+"\n"+gitext.FetchAll)
	case fetcher == nil:
		a.hint(ctx, fetchAdvice+"\n"+gitext.FetchAll)
	case errors.Is(fetcher.Err(), backfill.ErrTrees):
		fmt.Fprintf(a.stderr, "error: %s\n", layout.FatalText(fetcher.Err()))
		a.hint(ctx, backfill.TreesAdvice)
	default:
		if err := fetcher.Err(); err != nil {
			fmt.Fprintf(a.stderr, "error: %s\n", layout.FatalText(err))
		}
		a.hint(ctx, gitext.FetchAll)
	}
}

// orFetch adds to an error that ended the work that --fetch may prevent it, or why it
// could not.
func (a *app) orFetch(fetcher *backfill.Fetcher, err error) error {
	switch {
	case fetcher == nil && a.lacksObject(err): // the hint about err itself fetches all objects
		return withHint(err, fetchAdvice)
	case fetcher == nil || err == nil || !errors.Is(fetcher.Err(), backfill.ErrTrees):
		return err
	}
	return withHint(fmt.Errorf("%w; %w", err, backfill.ErrTrees), backfill.TreesAdvice)
}

// fetchSetting returns the value of agent.fetch.
func (a *app) fetchSetting(ctx context.Context) (bool, error) {
	config, err := a.data.Config(ctx)
	if err != nil {
		return false, err
	}
	wanted := false
	for _, v := range config[fetchKey] {
		if !v.Trusted() {
			a.warnUntrusted(fetchKey, v.Scope)
			continue
		}
		if err := checkFetch(v); err != nil {
			return false, err
		}
		wanted, _ = gitconfig.ParseBool(v)
	}
	return wanted, nil
}

// checkFetch returns an error for a value that agent.fetch does not take.
func checkFetch(v gitconfig.Value) error {
	if _, err := gitconfig.ParseBool(v); err != nil {
		return &gitconfig.BadValueError{Key: fetchKey, Value: v, Err: err}
	}
	return nil
}
