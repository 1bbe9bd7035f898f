package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Scratch is a private directory for one run. It is locked while its owner
// lives; what a killed owner left is removed by the next NewScratch.
type Scratch struct {
	dir  string
	lock *os.File
}

// lockName is the file that a living owner holds locked.
const lockName = "lock"

// NewScratch makes a scratch directory below parent; "" is a directory of this
// user below os.TempDir, where TMPDIR moves it. Leftovers there are removed.
func NewScratch(parent string) (*Scratch, error) {
	parent, err := scratchParent(parent)
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	// Under this lock no other run can take a directory that is made but not
	// yet locked for a leftover.
	gate, err := lockFile(filepath.Join(parent, lockName), true)
	if err != nil {
		return nil, fmt.Errorf("lock scratch directory: %w", err)
	}
	s, err := newScratch(parent)
	old := setAside(parent)
	gate.Close()
	for _, dir := range old {
		removeAll(dir) // one that stays costs room, and the next run tries again
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

// scratchParent makes the directory and returns it without symbolic links,
// which would give it two names: bubblewrap mounts by name.
func scratchParent(parent string) (string, error) {
	shared := parent == ""
	if shared {
		parent = filepath.Join(os.TempDir(), fmt.Sprintf("git-agent-%d", os.Getuid()))
	}
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	if shared {
		if err := private(parent); err != nil {
			return "", err
		}
	}
	return filepath.EvalSymlinks(parent)
}

// Dir makes and returns a directory of this scratch.
func (s *Scratch) Dir(name string) (string, error) {
	dir := filepath.Join(s.dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}

// Close removes the directory and all that commands left in it.
func (s *Scratch) Close() error {
	err := removeAll(s.dir)
	s.lock.Close()
	return err
}

// setAside renames the directories whose owner is gone, so that none of them
// can be taken up again, and returns all that is to be removed.
func setAside(parent string) []string {
	dirs, _ := filepath.Glob(filepath.Join(parent, "run-*")) // the pattern is well formed
	for _, dir := range dirs {
		lock, err := lockFile(filepath.Join(dir, lockName), false)
		if err != nil {
			continue // its owner lives
		}
		os.Rename(dir, filepath.Join(parent, "old-"+filepath.Base(dir)))
		lock.Close()
	}
	old, _ := filepath.Glob(filepath.Join(parent, "old-*"))
	return old
}

// removeAll is os.RemoveAll for trees in which a build made directories
// read-only, as Go's module cache is.
func removeAll(dir string) error {
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
