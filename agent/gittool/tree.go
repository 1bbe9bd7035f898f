package gittool

import (
	"context"
	"time"

	"git-agent/gitext"
)

// listTimeout bounds the search for similar names. A refusal can do without them.
const listTimeout = 10 * time.Second

// files lists the files of a commit below dir, "" for all. It is called only if a path
// was not found, so that a correct path costs nothing.
func (b *scopedRepo) files(ctx context.Context, oid gitext.OID, dir string) ([]string, error) {
	var below []string
	if dir != "" {
		below = []string{dir}
	}
	all, err := b.repo.Tree(ctx, oid, below...)
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	var names []string
	for _, f := range all {
		if !f.Submodule {
			names = append(names, f.Path)
		}
	}
	return names, err
}

// isDir reports whether dir is a directory of a commit. A line of any of its files proves
// it quickly; otherwise its files are listed. In a clone that lacks the trees, dir counts
// as a directory if any commit touched it.
func (b *scopedRepo) isDir(ctx context.Context, oid gitext.OID, dir string) (bool, error) {
	line, _ := b.repo.Grep(ctx, oid, gitext.GrepOptions{Pattern: "^", Paths: []string{dir}, Max: 1})
	if len(line) > 0 { // even if other objects are missing
		return true, nil
	}
	inside, err := b.files(ctx, oid, dir)
	if len(inside) > 0 { // a tree too large for a list has files too
		return true, nil
	}
	if gitext.Unreadable(err) {
		return b.everHad(ctx, oid, dir)
	}
	return len(inside) > 0, err
}

// everHad reports whether any commit of the history of oid touched path.
func (b *scopedRepo) everHad(ctx context.Context, oid gitext.OID, path string) (bool, error) {
	for _, err := range b.repo.Log(ctx, gitext.LogOptions{Tip: oid, Paths: []string{path}, Max: 1}) {
		return err == nil, err
	}
	return false, nil
}

// similar lists names that resemble want, or none if the search takes too long or the
// clone lacks objects.
func (b *scopedRepo) similar(ctx context.Context, oid gitext.OID, want string) []string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	files, err := b.files(ctx, oid, "")
	if err != nil {
		return nil
	}
	return nearNames(want, files)
}
