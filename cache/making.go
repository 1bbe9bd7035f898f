package cache

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// parts are the suffixes of the files that make up one database, the file itself last.
var parts = []string{"-journal", "-wal", "-shm", ""}

// making is a database that is being made under another name. A locked file beside it
// shows others that its maker is alive. It is not the database that is locked: to close a
// descriptor of that would end SQLite's own locks, perhaps those under its final name.
type making struct {
	path string
	lock *os.File
}

const lockSuffix = "-lock"

// unfinished makes an empty file beside path, with mode 0600.
func unfinished(path string) (*making, error) {
	name := path + unnamed + "-" + rand.Text()
	lock, err := lockFile(name + lockSuffix)
	if err != nil {
		return nil, err
	}
	m := &making{name, lock}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		m.discard()
		return nil, err
	}
	return m, nil
}

// discard removes the name, with all that SQLite has left beside it: on a full disk that is
// a log.
func (m *making) discard() {
	removeParts(m.path)
	m.lock.Close()
}

func removeParts(path string) {
	for _, suffix := range parts {
		os.Remove(path + suffix) // what cannot be removed now is swept later
	}
	os.Remove(path + lockSuffix)
}

// makingTime is longer than the making of any file takes.
const makingTime = time.Hour

// sweep removes what processes left that died while they made the file at path: one that is
// not locked or, where locks are unknown, that is old.
func sweep(path string) {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return
	}
	for _, e := range entries {
		file := filepath.Join(filepath.Dir(path), e.Name())
		if base, ok := unfinishedName(file, path); ok && abandoned(base) {
			removeParts(base)
		}
	}
}

// unfinishedName returns the database that file is a part of, if unfinished gave it its name.
func unfinishedName(file, path string) (base string, ok bool) {
	if !strings.HasPrefix(file, path+unnamed+"-") {
		return "", false
	}
	for _, suffix := range append(parts[:3:3], lockSuffix) {
		if base, ok := strings.CutSuffix(file, suffix); ok {
			return base, true
		}
	}
	return file, true
}

func abandoned(base string) bool {
	info, err := os.Lstat(base + lockSuffix)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return true // the lock is there first and goes last
	case err != nil || !info.Mode().IsRegular():
		return false
	case !locksWork:
		return time.Since(info.ModTime()) > makingTime
	}
	lock, err := os.OpenFile(base+lockSuffix, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close() // which also unlocks
	return tryLock(lock) == nil
}
