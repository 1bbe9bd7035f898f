package agent

import (
	"context"
	"time"

	"git-agent/gitext"
)

// listTimeout bounds what similar names may cost. Without them a refusal is
// still one.
const listTimeout = 10 * time.Second

// files lists the files of a commit below dir, "" for all: what it adds to the
// empty tree. The text of that patch is cut at once, which leaves its list of
// files whole. It is only asked for when a path was not found, so that a right
// path pays nothing.
func (b *bench) files(ctx context.Context, oid gitext.OID, dir string) ([]string, error) {
	opt := gitext.PatchOptions{MaxBytes: 1}
	if dir != "" {
		opt.Paths = []string{dir}
	}
	all, err := b.repo.Patch(ctx, "", oid, opt)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all.Files {
		if !f.Submodule {
			names = append(names, f.NewPath)
		}
	}
	return names, nil
}

// similar lists names near to want, none if that takes too long or the clone
// lacks objects.
func (b *bench) similar(ctx context.Context, oid gitext.OID, want string) []string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	files, err := b.files(ctx, oid, "")
	if err != nil {
		return nil
	}
	return nearNames(want, files)
}
