package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// Prune prunes the cache to size bytes, or to agent.cacheLimit if size is 0. It
// returns the file's free space to the file system; pruning during other commands
// keeps that space for new answers. Prune also removes the caches of repositories
// that no longer exist. Outside of a repository, it only removes those caches,
// and fails if size is not 0.
func (v *Cache) Prune(ctx context.Context, size int64) error {
	row := &removal{Schema: pruneSchema}
	err := v.removeAnswers(ctx, row, func(answers *cache.Cache) (cache.Pruned, error) {
		return answers.Prune(ctx, size)
	})
	if err != nil && !(errors.Is(err, gitext.ErrNotRepository) && size == 0) {
		return err
	}
	if err := v.pruneMissingRepos(ctx, row); err != nil {
		return err
	}
	return v.printRemoval(ctx, row)
}

// Clear removes all cached answers. It keeps traces.db, which is the user's data.
func (v *Cache) Clear(ctx context.Context) error {
	row := &removal{Schema: pruneSchema}
	err := v.removeAnswers(ctx, row, func(answers *cache.Cache) (cache.Pruned, error) {
		return answers.Clear(ctx)
	})
	if err != nil {
		return err
	}
	return v.printRemoval(ctx, row)
}

// removal describes the removed data. It is the documented JSON form of prune and
// clear.
type removal struct {
	Schema  string   `json:"schema"`
	Path    string   `json:"path"`
	Removed int64    `json:"removed"`
	Before  int64    `json:"bytes_before"`
	After   int64    `json:"bytes_after"`
	Gone    []string `json:"gone,omitempty"` // common git directories whose caches were removed
	Left    []string `json:"left,omitempty"` // files in those folders not made by git-agent

	runs int // number of missing repositories whose recorded runs are kept
}

// removeAnswers removes answers from the repository's cache with remove, and
// notes the removed data in row.
func (v *Cache) removeAnswers(ctx context.Context, row *removal, remove func(*cache.Cache) (cache.Pruned, error)) error {
	_, answers, err := v.ownCache(ctx)
	if err != nil {
		return err
	}
	p, err := remove(answers)
	if err = errors.Join(err, answers.Close()); err != nil {
		return Hinted(err)
	}
	row.Path, row.Removed, row.Before, row.After = p.Path, p.Removed, p.Before, p.After
	return nil
}

// pruneMissingRepos removes the caches of repositories that were moved or
// deleted. Their recorded runs are the user's data and are kept.
func (v *Cache) pruneMissingRepos(ctx context.Context, row *removal) error {
	caches, err := v.Data.User(ctx).Folders(place.Cache)
	if err != nil {
		return session.WithHint(err, Hint)
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
	runs, err := v.Data.User(ctx).Folders(place.State)
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
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error { // an unreadable file counts as empty
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				sum += info.Size()
			}
		}
		return nil
	})
	return sum
}

func (v *Cache) printRemoval(ctx context.Context, row *removal) error {
	if v.JSON {
		return render.WriteJSON(v.Stdout, row, "\n")
	}
	for _, name := range row.Left {
		v.Say("%s was not made by git-agent and is left", ui.Printable(name))
	}
	if row.runs > 0 {
		v.Hint(
			ctx,
			fmt.Sprintf(
				"the recorded runs of missing repositories are kept (%s); 'git agent trace list --all' lists them",
				agent.Plural(row.runs, "clone"),
			),
		)
	}
	if v.Quiet {
		return nil
	}
	gone := ""
	if len(row.Gone) > 0 {
		gone = ", the caches of " + agent.Plural(len(row.Gone), "clone") + " that are gone too"
	}
	_, err := fmt.Fprintf(
		v.Stdout,
		"%s removed%s, %s before, %s now\n",
		agent.Plural(int(row.Removed), "answer"),
		gone,
		ui.Size(row.Before),
		ui.Size(row.After),
	)
	return err
}
