package gitext

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"git-agent/gitext/gitcmd"
)

const (
	maxNewFile  = 1 << 20 // bytes of a new file
	maxNewFiles = 1000
)

// Uncommitted returns the files of the work tree that differ from HEAD, and the new files that
// git add would add, as overlays for Checkout, with contents as git add would store them. left
// names the files that were left out: files that only one of the user's programs can convert,
// changed files of more than 16 MiB, new files of more than 1 MiB, and new files beyond a
// thousand.
func (r *Repo) Uncommitted(ctx context.Context) (files []Overlay, left []string, err error) {
	patch, added, left, err := r.Changed(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range patch.LeftOut {
		left = append(left, l.Path)
	}
	paths := added
	for _, f := range patch.Files { // without renames, a file has one path
		switch {
		case f.Submodule || slices.Contains(added, f.NewPath): // git rm --cached makes a tracked file new
		case f.Status == 'D':
			files = append(files, Overlay{Path: f.NewPath})
		default:
			paths = append(paths, f.NewPath)
		}
	}
	kinds, err := kindsBelow(r.workTree, paths, maxChangedFile)
	if err != nil {
		return nil, nil, err
	}
	read, err := r.WorkFiles(ctx, append(kinds.files, kinds.gone...))
	return append(files, read...), append(left, kinds.large...), err
}

// WorkFiles reads files of the user's work tree, as git add would store them. It runs none of the
// user's filters. A path without a file or symbolic link, or behind a symbolic link, gets Mode 0.
// A file of more than 16 MiB is an error. Nothing is written to the repository.
func (r *Repo) WorkFiles(ctx context.Context, paths []string) ([]Overlay, error) {
	kinds, err := kindsBelow(r.workTree, paths, maxChangedFile)
	if err != nil {
		return nil, err
	}
	if len(kinds.large) > 0 {
		return nil, fmt.Errorf("%q has more than %d bytes", kinds.large[0], maxChangedFile)
	}
	settings, err := r.settings(ctx, workTreeSettings)
	if err != nil {
		return nil, err
	}
	u, err := r.workTreeDir(ctx, settings)
	if err != nil {
		return nil, err
	}
	defer u.close()
	git := *u.git
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_INDEX_FILE="+filepath.Join(u.dir, "scratch"))
	if head, err := r.Resolve(ctx, "HEAD"); err == nil {
		if _, err := git.Output(ctx, gitcmd.Call{Args: []string{"read-tree", string(head)}}); err != nil {
			return nil, r.explain(ctx, err, head)
		}
	}
	list, err := stage(ctx, &git, kinds.files)
	if err != nil {
		return nil, fmt.Errorf("read the work tree: %w", r.explain(ctx, err))
	}
	return append(list, gone(kinds.gone)...), nil
}

// Changed returns the changes of the work tree since HEAD, without context, and the paths of the new
// files that git add would add. left names the new files that were left out.
func (r *Repo) Changed(ctx context.Context) (patch *Patch, added, left []string, err error) {
	if patch, err = r.PatchWorktree(ctx, PatchOptions{}); err != nil {
		return nil, nil, nil, err
	}
	added, left, err = r.newFiles(ctx)
	return patch, added, left, err
}

// newFiles lists the files of the work tree that are neither tracked nor ignored.
func (r *Repo) newFiles(ctx context.Context) (files, left []string, err error) {
	settings, err := r.settings(ctx, workTreeSettings)
	if err != nil {
		return nil, nil, err
	}
	u, err := r.workTreeDir(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	defer u.close()
	var all []string
	err = u.git.Stream(ctx, gitcmd.Call{Args: []string{"ls-files", "--others", "--exclude-standard", "-z"}}, func(out *bufio.Reader) error {
		for len(all) < maxUntracked {
			if _, err := out.Peek(1); err == io.EOF {
				return nil
			}
			path, err := gitcmd.ReadRecord(out)
			if err != nil {
				return err
			}
			all = append(all, path)
		}
		return gitcmd.ErrStop
	})
	if err != nil {
		return nil, nil, fmt.Errorf("list new files: %w", err)
	}
	kinds, err := kindsBelow(r.workTree, all, maxNewFile)
	if err != nil {
		return nil, nil, err
	}
	n := min(len(kinds.files), maxNewFiles)
	return kinds.files[:n], append(kinds.large, kinds.files[n:]...), nil
}
