package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/visible"
)

// cacheAdoptSchema names the form of --json.
const cacheAdoptSchema = "git-agent/cache-adopt/1"

// adoptHint is for files that are not the user's by their seal.
const adoptHint = "if you made it (a new home, another machine, an earlier version), 'git agent cache adopt' takes it over"

type cacheAdoptCmd struct {
	JSON bool `name:"json" help:"print one JSON object for each file"`
}

// Run copies what is in files that were set aside for their maker. Outside of
// a repository it looks at the runs that belong to none.
func (c *cacheAdoptCmd) Run(ctx context.Context, a *app) error {
	repo, err := a.open(ctx, gitext.OpenOptions{AllowShallow: true})
	if err != nil && !errors.Is(err, gitext.ErrNotRepository) {
		return err
	}
	found := 0
	var failed error
	show := func(file string, all []cache.Adopted, err error) {
		found += len(all)
		for _, one := range all {
			err = errors.Join(err, c.print(a, file, one))
		}
		failed = errors.Join(failed, cacheError(err))
	}
	if repo != nil {
		store := a.openCache(ctx, repo)
		all, err := store.Adopt(ctx)
		show("cache", all, errors.Join(err, store.Close()))
	}
	for _, dir := range a.runDirs(repo) {
		all, err := cache.AdoptTraces(ctx, dir, cache.Options{Version: versionString()})
		show("traces", all, err)
	}
	if failed != nil || found > 0 || c.JSON || a.flags.Quiet {
		return failed
	}
	_, err = fmt.Fprintln(a.stdout, "nothing was set aside that could be adopted")
	return err
}

func (c *cacheAdoptCmd) print(a *app, file string, one cache.Adopted) error {
	if c.JSON {
		return visible.NewEncoder(a.stdout).Encode(struct {
			Schema  string `json:"schema"`
			File    string `json:"file"`
			Path    string `json:"path"`
			Runs    int64  `json:"runs"`
			Entries int64  `json:"entries"`
			Known   int64  `json:"known"`
			Damaged int64  `json:"damaged"`
		}{cacheAdoptSchema, file, one.Path, one.Runs, one.Entries, one.Known, one.Damaged})
	}
	if a.flags.Quiet {
		return nil
	}
	text := plural(int(one.Entries), "answer") + " adopted"
	if file == "traces" {
		text = fmt.Sprintf("%s with %s adopted", plural(int(one.Runs), "run"), plural(int(one.Entries), "step"))
	}
	if one.Known > 0 {
		text += fmt.Sprintf(", known before: %d", one.Known)
	}
	if one.Damaged > 0 {
		text += fmt.Sprintf(", damaged: %d", one.Damaged)
	}
	_, err := fmt.Fprintf(a.stdout, "%s: %s\n", printable(filepath.Base(one.Path)), text)
	return err
}
