package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Temporary directories can be told from those of a process
// that was killed.
//
// The process that makes a directory holds a lock on the directory above it, which has
// nothing else in it. The kernel drops the lock when the process ends, however it ends.
// [Leftovers] finds directories of this user without a lock.

// prefix begins the names of the directories. Other directories in the place do not begin
// like this.
const prefix = "git-agent-tmp-"

// A Dir is a private temporary directory.
type Dir struct {
	Path  string
	outer string   // the directory above, which is locked
	lock  *os.File // nil if it cannot be opened
}

// Make makes a directory below os.TempDir. The caller must remove it.
func Make() (*Dir, error) {
	outer, err := os.MkdirTemp("", prefix) // mode 0700
	if err != nil {
		return nil, err
	}
	d := &Dir{Path: filepath.Join(outer, "d"), outer: outer}
	if d.lock, err = os.Open(outer); err == nil {
		_ = lock(d.lock) // what cannot be locked is never taken for a leftover
		err = os.Mkdir(d.Path, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// Remove removes the directory and what is in it. An error may be ignored: what cannot be
// removed does no harm.
func (d *Dir) Remove() error {
	err := os.RemoveAll(d.outer)
	if d.lock != nil {
		d.lock.Close()
	}
	return err
}

// settle is the age from which a directory without a lock is a leftover. It is much more
// than the time between the making of a directory and its locking.
const settle = time.Minute

// Leftovers returns the directories of this user that killed processes left, sorted. Where
// locks are unknown to this program, it returns none.
func Leftovers() ([]string, error) {
	parent := os.TempDir()
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if path := filepath.Join(parent, e.Name()); abandoned(path) {
			list = append(list, path)
		}
	}
	return list, nil
}

// abandoned reports whether a directory is this user's, has no owner and is not new.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !own(info) || time.Since(info.ModTime()) < settle {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // drops the lock
	return lock(f) == nil
}

// Sweep removes the leftovers. It returns how many it removed.
func Sweep() (int, error) {
	list, err := Leftovers()
	removed := 0
	for _, path := range list {
		failed := os.RemoveAll(path)
		if err = errors.Join(err, failed); failed == nil || errors.Is(failed, fs.ErrNotExist) {
			removed++
		}
	}
	return removed, err
}
