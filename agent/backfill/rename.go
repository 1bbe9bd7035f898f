package backfill

import (
	"context"
	"slices"

	"git-agent/gitext"
)

// A birth is a commit that adds files and deletes others, and so may have renamed them.
type birth struct {
	commit, parent gitext.OID
	added          map[string]bool // the added files with a wanted history
	files          []gitext.FileChange
}

// maxBirths is the largest number of births examined for one question.
const maxBirths = 200

// births returns the commits in the history of rev that may have renamed a file to one
// of the paths. git blame looks for renames in a merge too, between the merge and each
// parent that has no such file.
func (f *Fetcher) births(ctx context.Context, rev gitext.OID, paths []string) []birth {
	var found []birth
	looked := 0
	for entry, err := range f.Repo.Log(ctx, gitext.LogOptions{Tip: rev, Paths: paths, Files: true, NoRenames: true}) {
		if err != nil || looked == maxBirths {
			break // a missed rename leaves the lines before it out of the answer
		}
		adds := slices.ContainsFunc(entry.Files, func(file gitext.FileChange) bool { return file.Status == 'A' })
		if !adds && len(entry.Parents) < 2 {
			continue
		}
		looked++
		c, err := f.Repo.Commit(ctx, entry.OID)
		if err != nil {
			continue
		}
		for _, parent := range c.Parents {
			if b, ok := f.birth(ctx, parent, c.OID, paths); ok {
				found = append(found, b)
			}
		}
	}
	return found
}

// birth reads the files that a commit adds and deletes. It reports false if the commit
// adds none of the paths, if none of them can be a rename, or if too many could.
func (f *Fetcher) birth(ctx context.Context, parent, commit gitext.OID, paths []string) (birth, bool) {
	b := birth{commit: commit, parent: parent, added: map[string]bool{}}
	files, err := f.Repo.Changes(ctx, parent, commit, gitext.PatchOptions{})
	if err != nil {
		return birth{}, false
	}
	deleted := 0
	for _, file := range files {
		switch file.Status {
		case 'D':
			deleted++
			b.files = append(b.files, file)
		case 'A':
			b.files = append(b.files, file)
			if slices.Contains(paths, file.NewPath) {
				b.added[file.NewPath] = true
			}
		}
	}
	return b, deleted > 0 && len(b.added) > 0 && len(b.files) <= maxMoved
}

// blobs returns the blobs whose similarity decides about renames.
func (b birth) blobs() []gitext.OID {
	var oids []gitext.OID
	for _, file := range b.files {
		if !file.Submodule {
			oids = append(oids, file.OldOID, file.NewOID)
		}
	}
	return oids
}

// earlier returns the earlier names of the files before the births, without the names in
// done.
func (f *Fetcher) earlier(ctx context.Context, births []birth, done map[string]bool) []string {
	var paths []string
	for _, b := range births {
		files, err := f.Repo.Changes(ctx, b.parent, b.commit, gitext.PatchOptions{Renames: true})
		if err != nil {
			continue // a blob could not be fetched
		}
		for _, file := range files {
			if file.Status == 'R' && b.added[file.NewPath] && !done[file.OldPath] {
				done[file.OldPath] = true
				paths = append(paths, file.OldPath)
			}
		}
	}
	return paths
}
