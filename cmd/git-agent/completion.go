package main

import (
	"context"
	"errors"
	"fmt"

	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/flagtable"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish"`
}

// Run prints a completion script for the shell. The script completes both
// `git agent` and `git-agent`.
func (c *completionCmd) Run(k *kong.Context, a *app.App) error {
	_, err := fmt.Fprint(a.Stdout, flagtable.CompletionFor(c.Shell, k.Model.Node))
	return err
}

// maxRunNames is how many runs completion offers. It offers the newest ones.
const maxRunNames = 100

// printRunNames prints the names of recorded runs for completion. It must be
// quick and silent, so it reads no step and skips a file that cannot be opened:
// another command will warn about it.
func printRunNames(ctx context.Context, a *app.App) error {
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		repo = nil // the runs that belong to no repository can still be listed
	}
	names := 0
	for _, f := range a.Data.RunFolders(ctx, repo) {
		if stats, err := cache.StatTraces(ctx, f.Path); err != nil || stats.Runs == 0 {
			continue
		}
		traces, err := cache.OpenTraces(ctx, f.Path, cache.Options{})
		if err != nil {
			continue
		}
		runs, err := newestOf(ctx, traces, maxRunNames)
		if err = errors.Join(err, traces.Close()); err != nil {
			return err
		}
		for _, r := range runs {
			fmt.Fprintln(a.Stdout, layout.Printable(string(r.ID)))
		}
		names += len(runs)
	}
	if names == 0 {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}
