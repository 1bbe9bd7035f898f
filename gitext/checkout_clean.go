package gitext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"git-agent/gitext/gitcmd"
)

// CleanCheckout removes everything from a directory that the last Checkout did not write, ignored
// or not: build output, caches, pipes, nested repositories, files in submodules. It follows no
// symbolic link. The next Checkout restores changed files of the checkout. No program may be
// changing the directory.
//
// git clean is not used because it leaves pipes and sockets behind, and fails in read-only
// directories, which builds make.
func (r *Repo) CleanCheckout(ctx context.Context, dir string) error {
	w, err := r.openCheckout(dir)
	if err != nil {
		return err
	}
	out, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"ls-files", "--stage", "-z"}})
	if err == nil {
		err = removeOthers(w.dir, trackedPaths(splitNUL(out)))
	}
	if err != nil && ctx.Err() == nil {
		err = w.empty() // the next Checkout writes all files
	}
	if err != nil {
		return fmt.Errorf("clean the checkout: %w", err)
	}
	return nil
}

// trackedPaths maps the paths of an index, and the directories above them, to their
// modes; a directory has mode 0.
func trackedPaths(entries []string) map[string]uint32 {
	modes := map[string]uint32{}
	for _, entry := range entries {
		meta, name, _ := strings.Cut(entry, "\t")
		var mode uint32
		fmt.Sscanf(meta, "%o", &mode)
		modes[name] = mode
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, seen := modes[dir]; seen {
				break
			}
			modes[dir] = 0
		}
	}
	return modes
}

// removeOthers removes everything from a directory that is not in modes.
func removeOthers(dir string, modes map[string]uint32) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return eachBelow(root, ".", func(name string, d fs.DirEntry) (descend bool, err error) {
		mode, tracked := modes[filepath.ToSlash(name)]
		if tracked && d.IsDir() == (mode == 0) {
			return d.IsDir(), nil
		}
		err = removeBelow(root, name)
		if err == nil && mode == modeSubmodule { // Checkout made an empty directory for it
			err = root.Mkdir(name, 0o777)
		}
		return false, err
	})
}

// eachBelow calls f for each entry of a directory, and descends if f returns true. Unlike
// fs.WalkDir, it accepts names that are not UTF-8.
func eachBelow(root *os.Root, dir string, f func(name string, d fs.DirEntry) (descend bool, err error)) error {
	open, err := root.Open(dir)
	if err != nil {
		return err
	}
	entries, err := open.ReadDir(-1)
	open.Close()
	if err != nil {
		return err
	}
	for _, d := range entries {
		name := filepath.Join(dir, d.Name())
		descend, err := f(name, d)
		if err == nil && descend {
			err = eachBelow(root, name, f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// removeBelow removes a file, or a directory with its contents, even if a program made it
// read-only.
func removeBelow(root *os.Root, name string) error {
	if err := root.RemoveAll(name); err == nil {
		return nil
	}
	info, err := root.Lstat(name)
	if err != nil || !info.IsDir() {
		return root.RemoveAll(name)
	}
	root.Chmod(name, 0o700) // a failure shows when its entries are read
	err = eachBelow(root, name, func(name string, d fs.DirEntry) (bool, error) {
		if d.IsDir() {
			return true, root.Chmod(name, 0o700)
		}
		return false, nil
	})
	return errors.Join(err, root.RemoveAll(name))
}
