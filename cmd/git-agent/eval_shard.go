package main

import (
	"context"
	"fmt"

	"git-agent/agent/eval"
	"git-agent/agent/shard"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/gitcmd"
)

// shardFlags are the options by which a verb works on a part of its cases, and keeps what
// it found in a plain file.
type shardFlags struct {
	Shard   string `placeholder:"<i>/<n>" help:"work only on the <i>th of <n> equal parts, counted from 1; needs --journal"`
	Journal string `placeholder:"<file>" kind:"path" help:"keep what is found in <file>, continue what is there, and let eval merge join it with that of other parts"`

	part shard.Shard
}

// check reads the shard, which is the whole if none is given.
func (f *shardFlags) check() (err error) {
	f.part = shard.Whole
	if f.Shard == "" {
		return nil
	}
	if f.part, err = shard.Parse(f.Shard); err != nil {
		return app.Usagef("--shard: %v", err)
	}
	if f.Journal == "" {
		return app.Usagef("--shard needs --journal=<file>, a file of its own for each shard")
	}
	return nil
}

// openJournal opens the file of --journal, or else the recorded run. all is the number of
// cases of all shards, and digest their digest.
func (e *evaluation) openJournal(ctx context.Context, traces *cache.Traces, plan eval.Plan, about eval.About, all int, digest string) (keptJournal, error) {
	if e.Journal == "" {
		return eval.OpenJournal(ctx, plan.Task, traces, about.Run)
	}
	git, err := gitcmd.UserVersion(ctx)
	if err != nil {
		return nil, err
	}
	options := map[string]string{"annotations": fmt.Sprint(about.Annotations), "core": about.Only, "timeout": plan.Timeout.String()}
	return eval.OpenFileJournal(e.Journal, e.part, plan, about, all, digest, git, options)
}
