package main

import (
	"context"

	"git-agent/cmd/git-agent/cachecmd"
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

// Run prints what the files hold.
func (c *cacheStatsCmd) Run(ctx context.Context, a *app) error { return a.cacheVerb(c.JSON).Stats(ctx) }

// Run removes the least recently used answers.
func (c *cachePruneCmd) Run(ctx context.Context, a *app) error {
	var size int64
	if c.Size != "" {
		var ok bool
		if size, ok = gitconfig.ParseSize(c.Size); !ok || size < 1 {
			return usagef("%q is not a size such as 100m", c.Size)
		}
	}
	return a.cacheVerb(c.JSON).Prune(ctx, size)
}

// Run exits with 1 if anything is damaged.
func (c *cacheVerifyCmd) Run(ctx context.Context, a *app) error {
	sound, err := a.cacheVerb(c.JSON).Verify(ctx)
	if err == nil && !sound {
		return exitStatus(exitNothing)
	}
	return err
}

// Run removes all cached answers.
func (c *cacheClearCmd) Run(ctx context.Context, a *app) error { return a.cacheVerb(c.JSON).Clear(ctx) }

func (a *app) cacheVerb(json bool) *cachecmd.Verb {
	return &cachecmd.Verb{Stdout: a.stdout, Say: a.say, Hint: a.hint, Open: a.open, Data: a.data, JSON: json, Quiet: a.flags.Quiet}
}
