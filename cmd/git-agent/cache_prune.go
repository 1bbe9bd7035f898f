package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"git-agent/agent"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/datadir"
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

type cachePruneCmd struct {
	Size string `placeholder:"<size>" help:"keep at most <size> bytes, such as 100m; default: agent.cacheLimit"`
	JSON bool   `name:"json" help:"print a JSON object"`
}

// Run prunes the cache and returns the free space of its file to the file system;
// the pruning during other commands keeps that space for new answers. Run also
// removes the caches of repositories that no longer exist. Outside of a
// repository it does only the latter.
func (c *cachePruneCmd) Run(ctx context.Context, a *app) error {
	var size int64
	if c.Size != "" {
		var ok bool
		if size, ok = gitconfig.ParseSize(c.Size); !ok || size < 1 {
			return usagef("%q is not a size such as 100m", c.Size)
		}
	}
	row := &removal{Schema: cachePruneSchema}
	err := a.removeAnswers(ctx, row, func(store *cache.Cache) (cache.Pruned, error) {
		return store.Prune(ctx, size)
	})
	if err != nil && !(errors.Is(err, gitext.ErrNotRepository) && c.Size == "") {
		return err
	}
	if err := a.pruneMissingRepos(ctx, row); err != nil {
		return err
	}
	return row.print(ctx, a, c.JSON)
}

type cacheClearCmd struct {
	JSON bool `name:"json" help:"print a JSON object"`
}

// Run removes all cached answers. It keeps traces.db, which is the user's data.
func (c *cacheClearCmd) Run(ctx context.Context, a *app) error {
	row := &removal{Schema: cachePruneSchema}
	err := a.removeAnswers(ctx, row, func(store *cache.Cache) (cache.Pruned, error) {
		return store.Clear(ctx)
	})
	if err != nil {
		return err
	}
	return row.print(ctx, a, c.JSON)
}

// removal says what was removed. It is the documented JSON form of prune and
// clear.
type removal struct {
	Schema  string   `json:"schema"`
	Path    string   `json:"path"`
	Removed int64    `json:"removed"`
	Before  int64    `json:"bytes_before"`
	After   int64    `json:"bytes_after"`
	Gone    []string `json:"gone,omitempty"` // common git directories whose caches were removed
	Left    []string `json:"left,omitempty"` // files in those folders that git-agent did not make

	runs int // number of missing repositories whose recorded runs are kept
}

// removeAnswers removes answers from the repository's cache with remove, and
// notes in row what was removed.
func (a *app) removeAnswers(ctx context.Context, row *removal, remove func(*cache.Cache) (cache.Pruned, error)) error {
	_, store, err := a.ownCache(ctx)
	if err != nil {
		return err
	}
	p, err := remove(store)
	if err = errors.Join(err, store.Close()); err != nil {
		return datadir.Hinted(err)
	}
	row.Path, row.Removed, row.Before, row.After = p.Path, p.Removed, p.Before, p.After
	return nil
}

// pruneMissingRepos removes the caches of repositories that were moved or
// deleted. Their recorded runs are the user's data and are kept.
func (a *app) pruneMissingRepos(ctx context.Context, row *removal) error {
	caches, err := a.data.User(ctx).Folders(place.Cache)
	if err != nil {
		return withHint(err, datadir.Hint)
	}
	for _, f := range caches {
		if !f.Gone() {
			continue
		}
		size := sizeBelow(f.Path)
		left, err := f.RemoveCache()
		if err != nil {
			return err
		}
		for _, name := range left {
			row.Left = append(row.Left, filepath.Join(f.Path, name))
		}
		if now := sizeBelow(f.Path); now < size { // else there was no cache
			row.Gone = append(row.Gone, f.Repository)
			row.Before, row.After = row.Before+size, row.After+now
		}
	}
	runs, err := a.data.User(ctx).Folders(place.State)
	for _, f := range runs {
		if f.Gone() && f.HasRuns() {
			row.runs++
		}
	}
	return err
}

// sizeBelow returns the total size of the files below a directory, in bytes.
func sizeBelow(dir string) int64 {
	var sum int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // a file that cannot be read counts as empty
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

func (row *removal) print(ctx context.Context, a *app, asJSON bool) error {
	if asJSON {
		return render.WriteJSON(a.stdout, row, "\n")
	}
	for _, name := range row.Left {
		a.say("%s was not made by git-agent and is left", layout.Printable(name))
	}
	if row.runs > 0 {
		a.hint(ctx, fmt.Sprintf("the recorded runs of missing repositories are kept (%s); 'git agent trace list --all' lists them", agent.Plural(row.runs, "clone")))
	}
	if a.flags.Quiet {
		return nil
	}
	gone := ""
	if len(row.Gone) > 0 {
		gone = ", the caches of " + agent.Plural(len(row.Gone), "clone") + " that are gone too"
	}
	_, err := fmt.Fprintf(a.stdout, "%s removed%s, %s before, %s now\n", agent.Plural(int(row.Removed), "answer"), gone, formatSize(row.Before), formatSize(row.After))
	return err
}
