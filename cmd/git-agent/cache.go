package main

import (
	"context"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext/gitconfig"
)

// cacheCmd is `git agent cache`: it shows, checks and removes stored data.
type cacheCmd struct {
	Stats  cacheStatsCmd  `cmd:"" help:"show what is stored and how much space it takes"`
	Prune  cachePruneCmd  `cmd:"" help:"remove the least recently used answers, and the caches of repositories that no longer exist"`
	Verify cacheVerifyCmd `cmd:"" help:"check every cached answer and every recorded step; exit with 1 if any is damaged"`
	Clear  cacheClearCmd  `cmd:"" help:"remove all cached answers, but no recorded runs"`
}

type cacheStatsCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

type cachePruneCmd struct {
	Size string `placeholder:"<size>" help:"keep at most <size> bytes, such as 100m; default: agent.cacheLimit"`
	JSON bool   `name:"json" help:"print a JSON object"`
}

type cacheVerifyCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

type cacheClearCmd struct {
	JSON bool `name:"json" help:"print a JSON object"`
}

// Run prints the contents of the files.
func (c *cacheStatsCmd) Run(ctx context.Context, a *app.App) error {
	return cacheVerb(a, c.JSON).Stats(ctx)
}

// Run removes the least recently used answers.
func (c *cachePruneCmd) Run(ctx context.Context, a *app.App) error {
	var size int64
	if c.Size != "" {
		var ok bool
		if size, ok = gitconfig.ParseSize(c.Size); !ok || size < 1 {
			return app.Usagef("%q is not a size such as 100m", c.Size)
		}
	}
	return cacheVerb(a, c.JSON).Prune(ctx, size)
}

// Run exits with 1 if anything is damaged.
func (c *cacheVerifyCmd) Run(ctx context.Context, a *app.App) error {
	sound, err := cacheVerb(a, c.JSON).Verify(ctx)
	if err == nil && !sound {
		return app.ExitStatus(app.ExitNothing)
	}
	return err
}

// Run removes all cached answers.
func (c *cacheClearCmd) Run(ctx context.Context, a *app.App) error {
	return cacheVerb(a, c.JSON).Clear(ctx)
}

func cacheVerb(a *app.App, json bool) *store.Cache {
	return &store.Cache{Stdout: a.Stdout, Say: a.Say, Hint: a.Hint, Open: a.Open, Data: a.Data, JSON: json, Quiet: a.Flags.Quiet}
}
