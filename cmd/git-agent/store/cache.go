package store

import (
	"context"
	"io"

	"git-agent/cache"
	"git-agent/gitext"
)

// The schemas of --json.
const (
	statsSchema  = "git-agent/cache-stats/1"
	pruneSchema  = "git-agent/cache-prune/1"
	verifySchema = "git-agent/cache-verify/1"
)

// Cache has the parts of the process that the subcommands use.
type Cache struct {
	Stdout io.Writer                              // for text and JSON
	Say    func(format string, args ...any)       // prints a notice
	Hint   func(ctx context.Context, text string) // prints a hint
	Open   func(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error)
	Data   *Store

	JSON  bool // print JSON objects
	Quiet bool // print only problems
}

// Stats prints the contents of the files. It creates no file.
func (v *Cache) Stats(ctx context.Context) error {
	repo, answers, err := v.ownCache(ctx)
	if err != nil {
		return err
	}
	defer answers.Close() // nothing was written
	stats, err := answers.Stats(ctx)
	if err != nil {
		return Hinted(err)
	}
	files := []fileStats{newFileStats("cache", stats)}
	for _, f := range v.Data.RunFolders(ctx, repo) {
		stats, err := cache.StatTraces(ctx, f.Path)
		if err != nil {
			return Hinted(err)
		}
		if stats.Bytes > 0 {
			files = append(files, newFileStats("traces", stats))
		}
	}
	for _, f := range files {
		if err := v.printStats(f); err != nil {
			return err
		}
	}
	return nil
}

// Verify reads all answers and steps, and reports damage. It changes nothing. sound
// is false if anything is damaged.
func (v *Cache) Verify(ctx context.Context) (sound bool, err error) {
	repo, answers, err := v.ownCache(ctx)
	if err != nil {
		return false, err
	}
	defer answers.Close() // nothing was written
	report, err := answers.Verify(ctx)
	if err != nil {
		return false, Hinted(err)
	}
	failed := len(report.Problems) > 0
	if err := v.printReport("cache", report); err != nil {
		return false, err
	}
	if failed {
		v.Hint(ctx, "'git agent cache clear' removes all cached answers, including the damaged ones")
	}
	for _, f := range v.Data.RunFolders(ctx, repo) {
		report, err := cache.VerifyTraces(ctx, f.Path)
		if err != nil {
			return false, Hinted(err)
		}
		if report.Entries == 0 && len(report.Problems) == 0 {
			continue // nothing is recorded there
		}
		failed = failed || len(report.Problems) > 0
		if err := v.printReport("traces", report); err != nil {
			return false, err
		}
	}
	return !failed, nil
}

// ownCache opens the repository and its cache.
func (v *Cache) ownCache(ctx context.Context) (*gitext.Repo, *cache.Cache, error) {
	repo, err := v.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		return nil, nil, err
	}
	return repo, v.Data.CacheIn(ctx, repo, v.Data.Folders(ctx, repo.CommonDir())), nil
}
