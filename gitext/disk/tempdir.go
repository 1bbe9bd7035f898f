package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A lock distinguishes temporary directories in use from those of killed processes.
//
// The process that makes a directory holds a lock on its parent, which contains nothing else. The
// kernel drops the lock when the process ends for any reason. [Leftovers] finds directories of
// this user without a lock.

// prefix begins the names of the directories; no other directory there has this prefix.
const prefix = "git-agent-tmp-"

// A TempDir is a private temporary directory.
type TempDir struct {
	Path  string
	outer string   // the directory above, which is locked
	lock  *os.File // nil if it cannot be opened
}

// MakeTemp makes a directory below os.TempDir. The caller must remove it.
func MakeTemp() (*TempDir, error) {
	outer, err := os.MkdirTemp("", prefix) // mode 0700
	if err != nil {
		return nil, err
	}
	d := &TempDir{Path: filepath.Join(outer, "d"), outer: outer}
	if d.lock, err = os.Open(outer); err == nil {
		_ = lock(d.lock) // an unlockable directory never counts as a leftover
		err = os.Mkdir(d.Path, 0o700)
	}
	if err != nil {
		return nil, errors.Join(err, d.Remove())
	}
	return d, nil
}

// Remove removes the directory and its contents. An error may be ignored, because remaining files
// do no harm.
func (d *TempDir) Remove() error {
	err := os.RemoveAll(d.outer)
	if d.lock != nil {
		d.lock.Close()
	}
	return err
}

// settle is the age from which a directory without a lock is a leftover. This age is much longer
// than the time between making and locking a directory.
const settle = time.Minute

// Leftovers returns the directories of this user that killed processes left behind, sorted. On
// systems without kernel locks, it returns none.
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

// abandoned reports whether a directory belongs to this user, is unlocked and is not new.
func abandoned(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || !OwnedByUser(info) || time.Since(info.ModTime()) < settle {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // drops the lock
	return lock(f) == nil
}

// SweepTemps removes the leftovers and returns their number.
func SweepTemps() (int, error) {
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
