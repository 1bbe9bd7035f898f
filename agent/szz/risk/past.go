package risk

import (
	"context"
	"errors"
	"slices"
	"strings"

	"git-agent/agent/szz"
	"git-agent/agent/szz/fixlike"
	"git-agent/gitext"
)

// Bounds of the history that is read.
const (
	maxPast       = 150     // commits that changed a file of the change
	maxPastBytes  = 2 << 20 // of a commit's patch
	maxPastNames  = 200     // paths of a commit that are kept
	fewFilesAtall = 20      // files of a commit that tells which files change together
)

// An entry is an earlier commit that changed a file of the change.
type entry struct {
	commit  gitext.Commit
	files   []*gitext.FileChange // of the change's files
	keys    keys
	touched gitext.Touched
	fix     bool
}

// changes reports whether the commit changed a file.
func (e *entry) changes(path string) bool {
	return slices.ContainsFunc(e.files, func(f *gitext.FileChange) bool { return f.NewPath == path || f.OldPath == path })
}

// past is the history of a change's files, newest first.
type past struct{ entries []*entry }

// readPast reads the last commits that changed the files of a change.
func readPast(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, c *change) (*past, error) {
	p := &past{}
	if len(c.files) == 0 {
		return p, nil
	}
	var paths []string
	for _, f := range c.files {
		paths = append(paths, f.OldPath)
	}
	var oids []gitext.OID
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: fc.Parent, Paths: paths, Max: maxPast, NoMerges: true}) {
		if err != nil {
			return nil, err
		}
		oids = append(oids, e.OID)
	}
	commits, err := repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	touched, err := repo.Touched(ctx, oids, maxPastNames)
	if err != nil {
		return nil, err
	}
	i := -1
	for patch, err := range repo.Patches(ctx, oids, gitext.PatchOptions{Paths: paths, MaxBytes: maxPastBytes}) {
		i++
		var lacking *gitext.MissingObjectError
		if errors.As(err, &lacking) || gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		e := &entry{commit: commits[i], touched: touched[oids[i]], fix: fixlike.Likely(commits[i], patch)}
		for j := range patch.Files {
			e.files = append(e.files, &patch.Files[j])
		}
		e.keys = keysOf(e.files)
		p.entries = append(p.entries, e)
	}
	return p, nil
}

// find returns the entry of a commit by the beginning of its name, or nil.
func (p *past) find(name string) *entry {
	for _, e := range p.entries {
		if strings.HasPrefix(string(e.commit.OID), name) {
			return e
		}
	}
	return nil
}
