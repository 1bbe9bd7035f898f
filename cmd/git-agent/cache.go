package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// cacheCmd is `git agent cache`: what is kept, and how to get rid of it.
type cacheCmd struct {
	Stats  cacheStatsCmd  `cmd:"" help:"show what is kept and how much space it takes"`
	Prune  cachePruneCmd  `cmd:"" help:"remove the answers that were not used for longest"`
	Verify cacheVerifyCmd `cmd:"" help:"check every answer and every recorded step; exit with 1 if one is damaged"`
	Adopt  cacheAdoptCmd  `cmd:"" help:"believe answers and runs that were set aside because you did not make them here"`
	Clear  cacheClearCmd  `cmd:"" help:"remove all answers; recorded runs stay"`
}

// The forms of --json.
const (
	cacheStatsSchema  = "git-agent/cache-stats/1"
	cachePruneSchema  = "git-agent/cache-prune/1"
	cacheVerifySchema = "git-agent/cache-verify/1"
)

type cacheStatsCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

// Run prints what the files hold, and makes none of them.
func (c *cacheStatsCmd) Run(ctx context.Context, a *app) error {
	repo, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	defer store.Close() // it was only read
	stats, err := store.Stats(ctx)
	if err != nil {
		return cacheError(err)
	}
	files := []fileStats{newFileStats("cache", stats)}
	for _, dir := range a.traceDirs(repo) {
		stats, err := cache.StatTraces(ctx, dir, cache.Options{})
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

type cachePruneCmd struct {
	Size string `placeholder:"<size>" help:"keep at most <size> bytes, such as 100m; default: agent.cacheLimit"`
	JSON bool   `name:"json" help:"print a JSON object"`
}

// Run also gives free space back, which the pruning during other commands leaves for
// new answers.
func (c *cachePruneCmd) Run(ctx context.Context, a *app) error {
	var size int64
	if c.Size != "" {
		var ok bool
		if size, ok = parseSize(c.Size); !ok || size < 1 {
			return usagef("%q is not a size such as 100m", c.Size)
		}
	}
	return a.shrinkCache(ctx, c.JSON, func(store *cache.Cache) (cache.Pruned, error) {
		return store.Prune(ctx, size)
	})
}

type cacheClearCmd struct {
	JSON bool `name:"json" help:"print a JSON object"`
}

// Run leaves traces.db alone: it is the user's data.
func (c *cacheClearCmd) Run(ctx context.Context, a *app) error {
	return a.shrinkCache(ctx, c.JSON, func(store *cache.Cache) (cache.Pruned, error) {
		return store.Clear(ctx)
	})
}

func (a *app) shrinkCache(ctx context.Context, asJSON bool, shrink func(*cache.Cache) (cache.Pruned, error)) error {
	_, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	p, err := shrink(store)
	if err = errors.Join(err, store.Close()); err != nil {
		return cacheError(err)
	}
	if asJSON {
		return visible.NewEncoder(a.stdout).Encode(struct {
			Schema  string `json:"schema"`
			Path    string `json:"path"`
			Removed int64  `json:"removed"`
			Before  int64  `json:"bytes_before"`
			After   int64  `json:"bytes_after"`
		}{cachePruneSchema, p.Path, p.Removed, p.Before, p.After})
	}
	if a.flags.Quiet {
		return nil
	}
	_, err = fmt.Fprintf(a.stdout, "%s removed, %s before, %s now\n", plural(int(p.Removed), "answer"), formatSize(p.Before), formatSize(p.After))
	return err
}

type cacheVerifyCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

// Run reads everything and changes nothing.
func (c *cacheVerifyCmd) Run(ctx context.Context, a *app) error {
	repo, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	defer store.Close() // it was only read
	report, err := store.Verify(ctx)
	if err != nil {
		return cacheError(err)
	}
	failed := len(report.Problems) > 0
	if err := c.print(a, "cache", report); err != nil {
		return err
	}
	switch {
	case report.Foreign:
		a.hint(ctx, adoptHint)
	case failed:
		a.hint(ctx, "'git agent cache clear' removes the damaged answers with all others")
	}
	for _, dir := range a.traceDirs(repo) {
		report, err := cache.VerifyTraces(ctx, dir, cache.Options{})
		if err != nil {
			return cacheError(err)
		}
		if report.Entries == 0 && len(report.Problems) == 0 {
			continue // most repositories have none
		}
		failed = failed || len(report.Problems) > 0
		if err := c.print(a, "traces", report); err != nil {
			return err
		}
		if report.Foreign {
			a.hint(ctx, adoptHint)
		}
	}
	if failed {
		return exitStatus(exitNothing)
	}
	return nil
}

// ownCache returns the repository's cache for a verb that is about the cache.
func (a *app) ownCache(ctx context.Context) (*gitext.Repo, *cache.Cache, error) {
	repo, err := a.open(ctx, gitext.OpenOptions{AllowShallow: true})
	if err != nil {
		return nil, nil, err
	}
	return repo, a.openCache(ctx, repo), nil
}

// cacheOptions is how every verb opens the cache.
func (a *app) cacheOptions(repo *gitext.Repo) cache.Options {
	warn := func(text string) { fmt.Fprintf(a.stderr, "warning: %s\n", printable(text)) }
	return cache.Options{
		Version: versionString(),
		Warn:    warn,
		Limit:   func(ctx context.Context) int64 { return cacheLimit(ctx, repo, warn) },
	}
}

// traceDirs are where recorded runs may be: the repository's own, and the evaluations,
// which belong to none.
func (a *app) traceDirs(repo *gitext.Repo) []string {
	dirs := []string{repo.DataDir()}
	if state, err := a.stateDir(); err == nil && !slices.Contains(dirs, filepath.Clean(state)) {
		dirs = append(dirs, state)
	}
	return dirs
}

// runDirs are where recorded runs may be, without a repository too. A user
// without a home has none.
func (a *app) runDirs(repo *gitext.Repo) []string {
	if repo != nil {
		return a.traceDirs(repo)
	}
	dir, err := a.stateDir()
	if err != nil {
		return nil
	}
	return []string{dir}
}

// cacheError shows the hint that an error of package cache has.
func cacheError(err error) error {
	var hinted *cache.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		return withHint(err, "%s", hinted.Hint)
	}
	return err
}
