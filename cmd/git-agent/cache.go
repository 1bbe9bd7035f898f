package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"git-agent/cache"
	"git-agent/gitext"
)

// cacheCmd is `git agent cache`: what is kept, and how to get rid of it.
type cacheCmd struct {
	Stats  cacheStatsCmd  `cmd:"" help:"show what is kept and how much space it takes"`
	Prune  cachePruneCmd  `cmd:"" help:"remove the answers that were not used for longest"`
	Verify cacheVerifyCmd `cmd:"" help:"check every answer and every recorded step; exit with 1 if one is damaged"`
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

// fileStats is one file as --json shows it.
type fileStats struct {
	Schema  string      `json:"schema"`
	File    string      `json:"file"` // cache or traces
	Path    string      `json:"path"`
	Bytes   int64       `json:"bytes"`
	Limit   int64       `json:"limit,omitempty"`
	Runs    int64       `json:"runs,omitempty"`
	Entries int64       `json:"entries"`
	Oldest  *time.Time  `json:"oldest,omitempty"` // last use of an answer, start of a run
	Newest  *time.Time  `json:"newest,omitempty"`
	Kinds   []kindStats `json:"kinds"`
	Aside   []string    `json:"set_aside"`
}

type kindStats struct {
	Kind    string `json:"kind"`
	Entries int64  `json:"entries"`
	Bytes   int64  `json:"bytes"`
	Stored  int64  `json:"stored_bytes"`
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

func newFileStats(file string, s cache.Stats) fileStats {
	f := fileStats{
		Schema: cacheStatsSchema, File: file, Path: s.Path, Bytes: s.Bytes, Limit: s.Limit,
		Runs: s.Runs, Entries: s.Entries, Kinds: []kindStats{}, Aside: append([]string{}, s.Aside...),
	}
	if !s.Newest.IsZero() {
		f.Oldest, f.Newest = &s.Oldest, &s.Newest
	}
	for _, k := range s.Kinds {
		f.Kinds = append(f.Kinds, kindStats{k.Kind, k.Entries, k.Size, k.Stored})
	}
	return f
}

func (f fileStats) print(a *app, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(a.stdout).Encode(f)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, ", printable(f.Path), formatSize(f.Bytes))
	if f.File == "cache" {
		fmt.Fprintf(&b, "at most %s, %d entries\n", formatSize(f.Limit), f.Entries)
	} else {
		fmt.Fprintf(&b, "%d runs, %d steps\n", f.Runs, f.Entries)
	}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, k := range f.Kinds {
		fmt.Fprintf(table, "    %s\t%d\t%s\tcompressed to %s\n", printable(k.Kind), k.Entries, formatSize(k.Bytes), formatSize(k.Stored))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, name := range f.Aside {
		fmt.Fprintf(&b, "    set aside: %s\n", printable(name))
	}
	_, err := a.stdout.Write([]byte(b.String()))
	return err
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
		return json.NewEncoder(a.stdout).Encode(struct {
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
	_, err = fmt.Fprintf(a.stdout, "%d entries removed, %s before, %s now\n", p.Removed, formatSize(p.Before), formatSize(p.After))
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
	if failed {
		a.hint(ctx, "'git agent cache clear' removes the damaged answers with all others")
	}
	for _, dir := range a.traceDirs(repo) {
		report, err := cache.VerifyTraces(ctx, dir, cache.Options{})
		if err != nil {
			return cacheError(err)
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

func (c *cacheVerifyCmd) print(a *app, file string, r cache.Report) error {
	if c.JSON {
		return json.NewEncoder(a.stdout).Encode(struct {
			Schema   string   `json:"schema"`
			File     string   `json:"file"`
			Path     string   `json:"path"`
			Entries  int64    `json:"entries"`
			Damaged  int64    `json:"damaged"`
			Problems []string `json:"problems"`
		}{cacheVerifySchema, file, r.Path, r.Entries, r.Damaged, append([]string{}, r.Problems...)})
	}
	what := "entries"
	if file == "traces" {
		what = "steps"
	}
	if len(r.Problems) == 0 {
		if a.flags.Quiet {
			return nil
		}
		_, err := fmt.Fprintf(a.stdout, "%s: %d %s, all sound\n", printable(r.Path), r.Entries, what)
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %d of %d %s damaged\n    %s\n", printable(r.Path), r.Damaged, r.Entries, what,
		strings.ReplaceAll(printable(strings.Join(r.Problems, "\n")), "\n", "\n    "))
	return err
}

// ownCache returns the repository's cache for a verb that is about the cache.
func (a *app) ownCache(ctx context.Context) (*gitext.Repo, *cache.Cache, error) {
	repo, err := a.open(ctx, gitext.OpenOptions{AllowShallow: true})
	if err != nil {
		return nil, nil, err
	}
	return repo, a.openCache(ctx, repo), nil
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

// cacheLimit reads agent.cacheLimit; 0 is for the default.
func cacheLimit(ctx context.Context, repo *gitext.Repo, warn func(string)) int64 {
	config, err := repo.Config(ctx)
	values := config["agent.cachelimit"]
	if err != nil || len(values) == 0 {
		return 0 // a configuration that git cannot read has been complained about by git
	}
	value := values[len(values)-1].Value // the last one wins, as in git
	size, ok := parseSize(value)
	if !ok || size < 1 {
		warn(fmt.Sprintf("agent.cacheLimit is %q, which is not a size such as 512m", value))
		return 0
	}
	return size
}

// cacheError shows the hint that an error of package cache has.
func cacheError(err error) error {
	var hinted *cache.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		return withHint(err, "%s", hinted.Hint)
	}
	return err
}

// parseSize reads a number as git does: k, m and g are powers of 1024.
func parseSize(s string) (int64, bool) {
	shift := 0
	if s != "" {
		shift = 10 * (1 + strings.IndexByte("kmg", s[len(s)-1]|0x20))
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n << shift, err == nil && n<<shift>>shift == n
}

// formatSize prints bytes in git's units, as `git count-objects -H` does.
func formatSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.2f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.2f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}
