package sandbox

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Kept is a directory that outlives the run that fills it. It is either complete or being
// filled: the remains of a killed run are removed before the next run fills the directory. A
// command that fills it cannot mark it as complete, because the mark is a file beside it.
type Kept struct {
	Path     string
	Complete bool // an earlier run filled it; nobody writes to it any more

	lock *os.File // nil after other processes may use the directory
}

// keptMost bounds the complete directories below one parent.
const keptMost = 2

// These are the endings of the files beside a kept directory, after the directory's name.
const (
	keptMark = ".complete"
	keptLock = ".lock"
)

// Keep opens the directory of a key below parent; "" is a directory of this user below
// [os.TempDir]. While another process fills it, Keep waits. If it is not complete, the caller
// fills it, calls Finish, and calls Close in any case. The last used directories of other keys
// stay; older ones are removed.
func Keep(parent, key string) (*Kept, error) {
	if parent == "" {
		shared, err := makeScratchParent("")
		if err != nil {
			return nil, err
		}
		parent = filepath.Join(shared, "setup")
	}
	parent, err := makeScratchParent(parent)
	if err != nil {
		return nil, err
	}
	k := &Kept{Path: filepath.Join(parent, key)}
	if k.lock, err = lockFile(k.Path+keptLock, true); err != nil {
		return nil, err
	}
	now := time.Now()
	if _, err := os.Lstat(k.Path); err == nil && os.Chtimes(k.Path+keptMark, now, now) == nil {
		k.Complete = true
		return k, k.Close()
	}
	forgetKept(parent, key)
	if err := errors.Join(forget(k.Path), os.Mkdir(k.Path, 0o700)); err != nil {
		unlock(k.lock)
		return nil, err
	}
	return k, nil
}

// Finish marks the directory as complete.
func (k *Kept) Finish() error {
	err := os.WriteFile(k.Path+keptMark, nil, 0o600)
	k.Complete = err == nil
	return err
}

// Close lets others use the directory, or removes it if it is not complete.
func (k *Kept) Close() error {
	if k.lock == nil {
		return nil
	}
	var err error
	if !k.Complete {
		err = forget(k.Path)
	}
	err = errors.Join(err, unlock(k.lock))
	k.lock = nil
	return err
}

// forget removes a directory and its mark, the mark first.
func forget(path string) error {
	if err := os.Remove(path + keptMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return RemoveAll(path)
}

// forgetKept removes the directories of other keys, except the last used ones and those that
// another process fills.
func forgetKept(parent, key string) {
	type kept struct {
		path string
		used time.Time
	}
	var complete []kept
	entries, _ := os.ReadDir(parent) // an unreadable directory only wastes space
	for _, e := range entries {
		name, isLock := strings.CutSuffix(e.Name(), keptLock)
		if !isLock || name == key {
			continue
		}
		path := filepath.Join(parent, name)
		if info, err := os.Stat(path + keptMark); err == nil {
			complete = append(complete, kept{path, info.ModTime()})
		} else {
			forgetUnused(path)
		}
	}
	slices.SortFunc(complete, func(a, b kept) int { return cmp.Or(b.used.Compare(a.used), cmp.Compare(a.path, b.path)) })
	for _, old := range complete[min(len(complete), keptMost-1):] {
		forgetUnused(old.path)
	}
}

// forgetUnused removes a directory that no process fills or opens. A failure only wastes space
// until the next call.
func forgetUnused(path string) {
	lock, err := lockFile(path+keptLock, false)
	if err != nil {
		return
	}
	defer unlock(lock) // the lock's file stays: another process may have opened it
	forget(path)
}
