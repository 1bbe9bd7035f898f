package main

import (
	"context"

	"git-agent/cache"
	"git-agent/cmd/git-agent/datadir"
	"git-agent/gitext"
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
		return datadir.Hinted(err)
	}
	files := []fileStats{newFileStats("cache", stats)}
	for _, f := range a.data.RunFolders(ctx, repo) {
		stats, err := cache.StatTraces(ctx, f.Path)
		if err != nil {
			return datadir.Hinted(err)
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
		return datadir.Hinted(err)
	}
	failed := len(report.Problems) > 0
	if err := c.print(a, "cache", report); err != nil {
		return err
	}
	if failed {
		a.hint(ctx, "'git agent cache clear' removes all cached answers, including the damaged ones")
	}
	for _, f := range a.data.RunFolders(ctx, repo) {
		report, err := cache.VerifyTraces(ctx, f.Path)
		if err != nil {
			return datadir.Hinted(err)
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
	return repo, a.data.CacheIn(ctx, repo, a.data.Folders(ctx, repo.CommonDir())), nil
}
