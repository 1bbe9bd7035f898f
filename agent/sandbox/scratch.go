package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Scratch is a private directory for one run. It is locked while its owner lives; the next
// NewScratch removes the directory of a killed owner.
type Scratch struct {
	dir  string
	lock *os.File
}

// lockName is the file that the owner keeps locked.
const lockName = "lock"

// NewScratch makes a scratch directory below parent, and removes leftovers there. If parent is
// "", NewScratch uses a directory of this user below os.TempDir, which depends on TMPDIR.
func NewScratch(parent string) (*Scratch, error) {
	parent, err := makeScratchParent(parent)
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	// Without this lock, another run could take a directory between its creation and its
	// locking for a leftover.
	gate, err := lockFile(filepath.Join(parent, lockName), true)
	if err != nil {
		return nil, fmt.Errorf("lock scratch directory: %w", err)
	}
	s, err := newScratch(parent)
	old := setAside(parent)
	unlock(gate)
	for _, dir := range old {
		RemoveAll(dir) // a failure only wastes space until the next run tries
	}
	return s, err
}

func newScratch(parent string) (*Scratch, error) {
	dir, err := os.MkdirTemp(parent, "run-")
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	lock, err := lockFile(filepath.Join(dir, lockName), false)
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("lock scratch directory: %w", err)
	}
	return &Scratch{dir: dir, lock: lock}, nil
}

// sharedParent returns the parent of this user's scratch directories.
func sharedParent() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("git-agent-%d", os.Getuid()))
}

// makeScratchParent makes the directory and returns its path without symbolic
// links, because bubblewrap mounts by name.
func makeScratchParent(parent string) (string, error) {
	shared := parent == ""
	if shared {
		parent = sharedParent()
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	if shared {
		if err := checkPrivate(parent); err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(parent)
}

// Dir makes a directory below the scratch directory and returns its path.
func (s *Scratch) Dir(name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}

// Close removes the directory with all its content.
func (s *Scratch) Close() error {
	err := RemoveAll(s.dir)
	unlock(s.lock)
	return err
}

// setAside renames the directories whose owners have ended, so that no run uses them again. It
// returns all directories to remove.
func setAside(parent string) []string {
	eachOwnerless(parent, func(dir string) {
		os.Rename(dir, filepath.Join(parent, "old-"+filepath.Base(dir)))
	})
	old, _ := filepath.Glob(filepath.Join(parent, "old-*")) // the pattern is well formed
	return old
}

// eachOwnerless locks each directory whose owner has ended, and calls f for it. The caller
// holds the parent's lock.
func eachOwnerless(parent string, f func(dir string)) {
	dirs, _ := filepath.Glob(filepath.Join(parent, "run-*")) // the pattern is well formed
	for _, dir := range dirs {
		lock, err := lockFile(filepath.Join(dir, lockName), false)
		if err != nil {
			continue // its owner lives
		}
		f(dir)
		unlock(lock)
	}
}

// Leftovers returns the scratch directories of this user that killed runs left below
// os.TempDir. It creates nothing, and returns none if their parent does not exist.
func Leftovers() ([]string, error) {
	parent := sharedParent()
	gate, err := openGate(parent)
	if gate == nil {
		return nil, err
	}
	defer unlock(gate)
	left, _ := filepath.Glob(filepath.Join(parent, "old-*")) // the pattern is well formed
	eachOwnerless(parent, func(dir string) { left = append(left, dir) })
	return left, nil
}

// RemoveLeftovers removes the directories that Leftovers returns. It returns the number of
// removed directories.
func RemoveLeftovers() (int, error) {
	parent := sharedParent()
	gate, err := openGate(parent)
	if gate == nil {
		return 0, err
	}
	old := setAside(parent)
	unlock(gate)
	removed := 0
	for _, dir := range old {
		failed := RemoveAll(dir)
		if err = errors.Join(err, failed); failed == nil {
			removed++
		}
	}
	return removed, err
}

// openGate locks the parent of all scratch directories. It returns nil without an error if the
// parent does not exist.
func openGate(parent string) (*os.File, error) {
	info, err := os.Lstat(parent)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%q is not a directory", parent)
	case err == nil:
		err = checkPrivate(parent)
	}
	if err != nil {
		return nil, err
	}
	return lockFile(filepath.Join(parent, lockName), true)
}

// RemoveAll is os.RemoveAll, except that it also removes read-only directories, such as those
// of Go's module cache.
func RemoveAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			os.Chmod(path, 0o700) // also opens it for the walk when reading it failed
		}
		return nil
	})
	err := os.RemoveAll(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
