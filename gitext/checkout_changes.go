package gitext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
)

// CheckoutChanges is what changed in a directory since Checkout filled it.
type CheckoutChanges struct {
	Tracked   []Overlay // files of the checkout with other contents; Mode 0: the file is gone
	Untracked []string  // paths of new files that no .gitignore names, at most maxUntracked
	More      bool      // there are more untracked files
}

const (
	// maxUntracked bounds the new files that are listed. A build may make millions.
	maxUntracked = 10000
	// maxChangedFile is the size of the largest changed file that is read.
	maxChangedFile = 16 << 20
)

// CheckoutChanges compares a directory with the files that the last Checkout put there.
// No program may be changing the directory. It follows no symbolic link, and a file that
// became a pipe or a device counts as gone.
func (r *Repo) CheckoutChanges(ctx context.Context, dir string) (*CheckoutChanges, error) {
	w, err := r.openCheckout(dir)
	if err != nil {
		return nil, err
	}
	// Without a refresh, a file that was only touched would count as changed.
	if _, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"update-index", "-q", "--refresh"}}); err != nil && ctx.Err() != nil {
		return nil, err
	}
	out, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"diff-files", "--name-only", "--no-renames", "-z", "--ignore-submodules=all"}})
	if err != nil {
		return nil, fmt.Errorf("compare the checkout: %w", r.explain(ctx, err))
	}
	changes := &CheckoutChanges{}
	if changes.Tracked, err = ReadOverlays(w.dir, splitNUL(out)); err != nil {
		return nil, err
	}
	out, err = w.git.Output(ctx, gitcmd.Call{Args: []string{"ls-files", "--others", "--exclude-standard", "-z"}})
	if err != nil {
		return nil, fmt.Errorf("list new files of the checkout: %w", r.explain(ctx, err))
	}
	changes.Untracked = splitNUL(out)
	if changes.More = len(changes.Untracked) > maxUntracked; changes.More {
		changes.Untracked = changes.Untracked[:maxUntracked]
	}
	return changes, nil
}

// splitNUL returns the texts before each NUL.
func splitNUL(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// ReadOverlays reads files below dir by their paths, each in the form that Checkout
// takes. A path at which there is no file or symbolic link gets Mode 0. It follows no
// symbolic link. A file of more than 16 MiB is an error.
func ReadOverlays(dir string, paths []string) ([]Overlay, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []Overlay
	for _, path := range paths {
		o, err := readOverlay(root, path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", strconv.Quote(path), err)
		}
		list = append(list, o)
	}
	return list, nil
}

func readOverlay(root *os.Root, path string) (Overlay, error) {
	gone := Overlay{Path: path}
	if !insideTree(path) {
		return gone, fmt.Errorf("it is not a path inside a tree")
	}
	name := filepath.FromSlash(path)
	info, err := root.Lstat(name)
	switch {
	case err != nil: // not there, or a directory on the way is a link that leads out
		return gone, nil
	case info.Mode()&os.ModeSymlink != 0:
		target, err := root.Readlink(name)
		return Overlay{Path: path, Mode: 0o120000, Content: []byte(target)}, err
	case !info.Mode().IsRegular():
		return gone, nil
	case info.Size() > maxChangedFile:
		return gone, fmt.Errorf("it has %d bytes, more than %d", info.Size(), maxChangedFile)
	}
	content, err := root.ReadFile(name)
	mode := uint32(0o100644)
	if info.Mode()&0o100 != 0 {
		mode = 0o100755
	}
	return Overlay{Path: path, Mode: mode, Content: content}, err
}

// DiffOverlays returns what git diff prints between a commit with the files of before
// laid over it, and the same with those of after on top. Binary files are included in
// full, so that git apply can apply the result. Objects are written beside dir, which
// is a directory as for Checkout; its files are not touched.
func (r *Repo) DiffOverlays(ctx context.Context, dir string, commit OID, before, after []Overlay) ([]byte, error) {
	if err := commit.valid(); err != nil {
		return nil, err
	}
	w, err := r.openCheckout(dir)
	if err != nil {
		return nil, err
	}
	trees := make([]string, 2)
	for i, over := range [][]Overlay{before, append(before[:len(before):len(before)], after...)} {
		tree, err := w.combine(ctx, commit, over)
		if err != nil {
			return nil, fmt.Errorf("lay files over %s: %w", commit.Short(), r.explain(ctx, err))
		}
		trees[i] = string(tree)
	}
	out, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"diff-tree", "-r", "-p", "--binary", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", trees[0], trees[1]}})
	if err != nil {
		return nil, fmt.Errorf("compare files: %w", r.explain(ctx, err))
	}
	return out, nil
}

// Uncommitted returns the files of the work tree that differ from HEAD, and the new
// files that no .gitignore of the work tree names, in the form that Checkout takes.
// left names the files that were left out: those that only a program of the user's can
// convert, those of more than maxNewFile bytes, and new files beyond maxNewFiles.
func (r *Repo) Uncommitted(ctx context.Context) (files []Overlay, left []string, err error) {
	patch, err := r.PatchWorktree(ctx, PatchOptions{})
	if err != nil {
		return nil, nil, err
	}
	var paths []string
	for _, f := range patch.Files {
		if f.Submodule {
			continue
		}
		for _, p := range []string{f.OldPath, f.NewPath} {
			if p != "" && (len(paths) == 0 || paths[len(paths)-1] != p) {
				paths = append(paths, p)
			}
		}
	}
	for _, l := range patch.LeftOut {
		left = append(left, l.Path)
	}
	if files, err = ReadOverlays(r.workTree, paths); err != nil {
		return nil, nil, err
	}
	added, omitted, err := r.newFiles(ctx)
	return append(files, added...), append(left, omitted...), err
}

const (
	maxNewFile  = 1 << 20 // bytes of a new file
	maxNewFiles = 1000
)

// newFiles reads the files of the work tree that are not tracked and not ignored.
func (r *Repo) newFiles(ctx context.Context) (files []Overlay, left []string, err error) {
	u, err := r.newUncommittedDir(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer u.close()
	git := *u.git
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_WORK_TREE="+r.workTree)
	out, err := git.Output(ctx, gitcmd.Call{Args: []string{"-c", "core.bare=false", "-C", r.workTree, "ls-files", "--others", "--exclude-standard", "-z"}})
	if err != nil {
		return nil, nil, fmt.Errorf("list new files: %w", err)
	}
	for _, p := range splitNUL(out) {
		info, err := os.Lstat(filepath.Join(r.workTree, filepath.FromSlash(p)))
		if err != nil || info.IsDir() || info.Size() > maxNewFile || len(files) >= maxNewFiles {
			left = append(left, p)
			continue
		}
		read, err := ReadOverlays(r.workTree, []string{p})
		if err != nil {
			return nil, nil, err
		}
		files = append(files, read...)
	}
	return files, left, nil
}

// Truncate writes a bare repository to dir, which must be empty or absent. It has the
// commits that tip reaches and nothing else: no other object, and no ref but
// refs/heads/main at tip. What this clone lacks, the copy lacks too.
func (r *Repo) Truncate(ctx context.Context, tip OID, dir string) error {
	if err := tip.valid(); err != nil {
		return err
	}
	packs := filepath.Join(dir, "objects", "pack")
	for _, d := range []string{packs, filepath.Join(dir, "refs", "heads")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	call := gitcmd.Call{
		Args:  []string{"pack-objects", "--revs", "--missing=allow-any", "--delta-base-offset", "-q", filepath.Join(packs, "pack")},
		Stdin: bytes.NewReader([]byte(string(tip) + "\n")),
	}
	if _, err := r.shadow.Output(ctx, call); err != nil {
		return fmt.Errorf("copy the history of %s: %w", tip.Short(), r.explain(ctx, err))
	}
	config := "[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n"
	if r.format != "sha1" {
		config = "[core]\n\trepositoryFormatVersion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = " + r.format + "\n"
	}
	files := map[string]string{"HEAD": "ref: refs/heads/main\n", "config": config, "refs/heads/main": string(tip) + "\n"}
	if r.shallow {
		files["shallow"] = string(shallowFile(r.boundary))
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
