package gitext

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
)

// CheckoutChanges lists the changed files of a directory since Checkout filled it.
type CheckoutChanges struct {
	Tracked   []Overlay // files of the checkout with other contents; Mode 0: the file is gone
	Large     []string  // changed files of the checkout of more than 16 MiB; their contents are not read
	Untracked []string  // paths of new files that no .gitignore names, at most maxUntracked
	More      bool      // there are more untracked files
}

// maxUntracked bounds the list of new files. A build may make millions.
const maxUntracked = 10000

// CheckoutChanges compares a directory with the files from the last Checkout. No program may be
// changing the directory. It follows no symbolic link, and a file that became a directory, a pipe
// or a device counts as gone. Contents are as git add would store them.
func (r *Repo) CheckoutChanges(ctx context.Context, dir string) (*CheckoutChanges, error) {
	w, err := r.openCheckout(dir)
	if err != nil {
		return nil, err
	}
	// Without a refresh, a file with only a new time stamp would count as changed.
	if _, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"update-index", "-q", "--refresh"}}); err != nil && ctx.Err() != nil {
		return nil, err
	}
	out, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"diff-files", "--name-only", "--no-renames", "-z", "--ignore-submodules=all"}})
	if err != nil {
		return nil, fmt.Errorf("compare the checkout: %w", r.explain(ctx, err))
	}
	changes := &CheckoutChanges{}
	kinds, err := kindsBelow(w.dir, splitNUL(out), maxChangedFile)
	if err == nil {
		changes.Large = kinds.large
		changes.Tracked, err = w.read(ctx, kinds)
	}
	if err != nil {
		return nil, fmt.Errorf("read the checkout: %w", err)
	}
	return changes, w.untracked(ctx, changes)
}

// read reads files of the checkout.
func (w *checkout) read(ctx context.Context, kinds kindsOfFiles) ([]Overlay, error) {
	scratch := w.dir + ".stage"
	defer os.Remove(scratch)
	if err := disk.Copy(scratch, w.index, maxIndex); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	git := *w.git
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_INDEX_FILE="+scratch)
	list, err := stage(ctx, &git, kinds.files)
	return append(list, gone(kinds.gone)...), err
}

// maxIndex is the largest index to copy: about five million files.
const maxIndex = 1 << 30

// gone returns the overlays that remove paths.
func gone(paths []string) []Overlay {
	var list []Overlay
	for _, path := range paths {
		list = append(list, Overlay{Path: path})
	}
	return list
}

// untracked lists the new files of the checkout. It stops reading git's output at the bound.
func (w *checkout) untracked(ctx context.Context, changes *CheckoutChanges) error {
	err := w.git.Stream(ctx, gitcmd.Call{Args: []string{"ls-files", "--others", "--exclude-standard", "-z"}}, func(out *bufio.Reader) error {
		for {
			if _, err := out.Peek(1); err == io.EOF {
				return nil
			}
			path, err := gitcmd.ReadRecord(out)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "/") { // a repository of its own
				continue
			}
			if changes.More = len(changes.Untracked) == maxUntracked; changes.More {
				return gitcmd.ErrStop
			}
			changes.Untracked = append(changes.Untracked, path)
		}
	})
	if err != nil {
		return fmt.Errorf("list new files of the checkout: %w", err)
	}
	return nil
}

// splitNUL returns the texts before each NUL.
func splitNUL(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// ReadOverlays reads files below dir by their paths, as they are on the disk, without the
// conversions of git add. A path without a file or symbolic link, or behind a symbolic link, gets
// Mode 0. A file of more than 16 MiB is an error.
func ReadOverlays(dir string, paths []string) ([]Overlay, error) {
	kinds, err := kindsBelow(dir, paths, maxChangedFile)
	if err != nil {
		return nil, err
	}
	if len(kinds.large) > 0 {
		return nil, fmt.Errorf("%s has more than %d bytes", strconv.Quote(kinds.large[0]), maxChangedFile)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []Overlay
	for _, path := range paths {
		o := Overlay{Path: path}
		if !slices.Contains(kinds.gone, path) {
			if o, err = readOverlay(root, path); err != nil {
				return nil, fmt.Errorf("read %s: %w", strconv.Quote(path), err)
			}
		}
		list = append(list, o)
	}
	return list, nil
}

// readOverlay reads a regular file or a symbolic link.
func readOverlay(root *os.Root, path string) (Overlay, error) {
	name := filepath.FromSlash(path)
	info, err := root.Lstat(name)
	if err != nil {
		return Overlay{}, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		return Overlay{Path: path, Mode: modeLink, Content: []byte(target)}, err
	}
	content, err := disk.ReadRegularIn(root, name, maxChangedFile)
	mode := uint32(0o100644)
	if info.Mode()&0o100 != 0 {
		mode = 0o100755
	}
	return Overlay{Path: path, Mode: mode, Content: content}, err
}

// DiffOverlays returns the output of git diff between two states: a commit with the files of
// before on top, and that state with the files of after on top. Binary files are included in
// full, so that git apply can apply the result. dir is a directory as for Checkout: objects are
// written beside it, and its files are neither read nor written.
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
	// A .gitattributes file in dir could make git compare texts as binary files, so git works
	// beside dir.
	git := *w.git
	git.Dir = w.dir + ".objects"
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_WORK_TREE="+git.Dir)
	out, err := git.Output(
		ctx,
		gitcmd.Call{
			Drivers: true,
			Args: []string{
				"diff-tree",
				"-r",
				"-p",
				"--binary",
				"--no-renames",
				"--no-color",
				"--src-prefix=a/",
				"--dst-prefix=b/",
				trees[0],
				trees[1],
			},
		},
	)
	if err != nil {
		return nil, fmt.Errorf("compare files: %w", r.explain(ctx, err))
	}
	return out, nil
}
