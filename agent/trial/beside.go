package trial

import (
	"context"
	"fmt"
	"slices"

	"git-agent/gitext"
)

// Folder makes a directory beside the work tree and returns its path. Close removes
// it. name is one path element. A command may write the directory only if
// [ExecOptions].Writable names it.
func (w *Workspace) Folder(name string) (string, error) {
	dir, err := w.scratch.Dir("folder." + name)
	if err != nil {
		return "", fmt.Errorf("scratch directory: %w", err)
	}
	return dir, nil
}

// Another opens a second workspace for the same repository with the same options. Its work
// tree and its caches are empty. The caller must close it.
func (w *Workspace) Another(ctx context.Context) (*Workspace, error) {
	opt := w.opt
	opt.Sandbox = w.level
	return Open(ctx, w.repo, opt)
}

// Paths lists the files that Prepare puts into the work tree, in git's order.
// Submodules are left out. It reads no work tree.
func (w *Workspace) Paths(ctx context.Context, commit gitext.OID, over []gitext.Overlay) ([]string, error) {
	entries, err := w.repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	laid := map[string]uint32{}
	for _, o := range over {
		laid[o.Path] = o.Mode
	}
	var paths []string
	for _, e := range entries {
		if _, replaced := laid[e.Path]; !replaced && !e.Submodule {
			paths = append(paths, e.Path)
		}
	}
	for path, mode := range laid {
		if mode != 0 {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}
