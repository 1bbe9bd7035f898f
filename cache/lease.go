package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrHeld is returned for a run that another process is working on.
var ErrHeld = errors.New("another process is working on this run")

// leases has the runs that this process works on: one locked file for each,
// beside traces.db. The kernel drops the lock when the process dies for any
// reason, so an unlocked run with the state running was interrupted.
type leases struct {
	dir string

	mu   sync.Mutex
	held map[RunID]*os.File
}

func newLeases(tracesPath string) *leases {
	return &leases{dir: tracesPath + ".runs", held: map[RunID]*os.File{}}
}

func (l *leases) path(run RunID) string { return filepath.Join(l.dir, string(run)) }

// take locks a run for this process.
func (l *leases) take(run RunID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held[run] != nil {
		return nil
	}
	if err := l.makeDir(); err != nil {
		return err
	}
	file, err := lockFile(l.path(run))
	if err != nil {
		return fmt.Errorf("%q: %w", run, err)
	}
	l.held[run] = file
	return nil
}

// makeDir makes the directory of the locks. Anything else of that name is
// renamed: through a link, files would be made and removed elsewhere.
func (l *leases) makeDir() error {
	if info, err := os.Lstat(l.dir); err == nil && !info.IsDir() {
		if err := os.Rename(l.dir, l.dir+asideDamaged); err != nil {
			return err
		}
	}
	return os.MkdirAll(l.dir, 0o700)
}

// lockFile locks the file at path. The last holder may remove the file between
// opening and locking, so lockFile checks that the path still leads to the file.
func lockFile(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		if err := tryLock(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
		ours, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if named, err := os.Lstat(path); err == nil && os.SameFile(ours, named) {
			return file, nil
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}

// drop ends the lease of a run, if any.
func (l *leases) drop(run RunID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	file := l.held[run]
	if file == nil {
		return nil
	}
	delete(l.held, run)
	err := os.Remove(file.Name())
	if errors.Is(err, os.ErrNotExist) {
		err = nil // somebody else has removed the file
	}
	return errors.Join(err, file.Close())
}

// close ends all leases but keeps their files, because those runs have not
// ended.
func (l *leases) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	for run, file := range l.held {
		err = errors.Join(err, file.Close())
		delete(l.held, run)
	}
	return err
}

func (l *leases) holds(run RunID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[run] != nil
}

// alive reports whether some process, perhaps this one, works on the run.
func (l *leases) alive(run RunID) bool {
	if l.holds(run) {
		return true
	}
	file, err := os.OpenFile(l.path(run), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // Close also unlocks
	return errors.Is(tryLock(file), ErrHeld)
}
