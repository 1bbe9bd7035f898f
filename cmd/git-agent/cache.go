package main

import (
	"context"
	"errors"
	"fmt"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// cacheCmd is `git agent cache`: it shows, checks and removes stored data.
type cacheCmd struct {
	Stats  cacheStatsCmd  `cmd:"" help:"show what is stored and how much space it takes"`
	Prune  cachePruneCmd  `cmd:"" help:"remove the least recently used answers, and the caches of repositories that no longer exist"`
	Verify cacheVerifyCmd `cmd:"" help:"check every cached answer and every recorded step; exit with 1 if any is damaged"`
	Clear  cacheClearCmd  `cmd:"" help:"remove all cached answers, but no recorded runs"`
}

// The schemas of --json.
const (
	cacheStatsSchema  = "git-agent/cache-stats/1"
	cachePruneSchema  = "git-agent/cache-prune/1"
	cacheVerifySchema = "git-agent/cache-verify/1"
)

type cacheStatsCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

// Run prints what the files hold. It creates no file.
func (c *cacheStatsCmd) Run(ctx context.Context, a *app) error {
	repo, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	defer store.Close() // nothing was written
	stats, err := store.Stats(ctx)
	if err != nil {
		return cacheError(err)
	}
	files := []fileStats{newFileStats("cache", stats)}
	for _, f := range a.runFolders(ctx, repo) {
		stats, err := cache.StatTraces(ctx, f.Path)
		if err != nil {
			return cacheError(err)
		}
		if stats.Bytes > 0 {
			files = append(files, newFileStats("traces", stats))
		}
	}
	for _, f := range files {
		if err := f.print(a, c.JSON); err != nil {
			return err
		}
	}
	return nil
}

type cacheVerifyCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

// Run reads all answers and steps, and reports damage. It changes nothing.
func (c *cacheVerifyCmd) Run(ctx context.Context, a *app) error {
	repo, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	defer store.Close() // nothing was written
	report, err := store.Verify(ctx)
	if err != nil {
		return cacheError(err)
	}
	failed := len(report.Problems) > 0
	if err := c.print(a, "cache", report); err != nil {
		return err
	}
	if failed {
		a.hint(ctx, "'git agent cache clear' removes all cached answers, including the damaged ones")
	}
	for _, f := range a.runFolders(ctx, repo) {
		report, err := cache.VerifyTraces(ctx, f.Path)
		if err != nil {
			return cacheError(err)
		}
		if report.Entries == 0 && len(report.Problems) == 0 {
			continue // nothing is recorded there
		}
		failed = failed || len(report.Problems) > 0
		if err := c.print(a, "traces", report); err != nil {
			return err
		}
	}
	if failed {
		return exitStatus(exitNothing)
	}
	return nil
}

// ownCache opens the repository and its cache, for a verb that is about the
// cache.
func (a *app) ownCache(ctx context.Context) (*gitext.Repo, *cache.Cache, error) {
	repo, err := a.open(ctx, gitext.OpenOptions{})
	if err != nil {
		return nil, nil, err
	}
	return repo, a.cacheOf(ctx, repo, a.foldersOf(ctx, repo.CommonDir())), nil
}

// cacheOptions returns the options with which every verb opens the cache.
func (a *app) cacheOptions(repo *gitext.Repo) cache.Options {
	return cache.Options{
		Warn:  a.warnOnce,
		Limit: func(ctx context.Context) int64 { return cacheLimit(ctx, repo, a.warnOnce) },
	}
}

// cacheError turns the hint of an error of package cache into one that the
// program prints.
func cacheError(err error) error {
	var hinted *cache.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		return withHint(err, "%s", hinted.Hint)
	}
	return err
}

// cacheLimit returns the value of agent.cacheLimit, or 0 for the default.
func cacheLimit(ctx context.Context, repo *gitext.Repo, warn func(string)) int64 {
	config, err := repo.Config(ctx)
	values := config["agent.cachelimit"]
	if err != nil || len(values) == 0 {
		return 0 // if git cannot read the configuration, git has printed an error
	}
	value := values[len(values)-1].Value // the last one wins, as in git
	size, ok := gitconfig.ParseSize(value)
	if !ok || size < 1 {
		warn(fmt.Sprintf("agent.cacheLimit is %q, which is not a size such as 512m", value))
		return 0
	}
	return size
}
