package cache

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// parts lists the suffixes of the files of one database, the main file last.
var parts = []string{"-journal", "-wal", "-shm", ""}

// unfinishedFile is a database in the making under a temporary name. A locked
// file beside it shows that its maker is alive. The database itself is not
// locked, because closing one of its descriptors would release SQLite's own
// locks, perhaps under its final name.
type unfinishedFile struct {
	path string
	lock *os.File
}

const lockSuffix = "-lock"

// newUnfinished makes an empty file beside path, with mode 0600.
func newUnfinished(path string) (*unfinishedFile, error) {
	name := path + unnamed + "-" + rand.Text()
	lock, err := lockFile(name + lockSuffix)
	if err != nil {
		return nil, err
	}
	m := &unfinishedFile{name, lock}
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

// discard removes the temporary file and SQLite's files beside it, such as a log
// on a full disk.
func (m *unfinishedFile) discard() {
	removeParts(m.path)
	m.lock.Close()
}

func removeParts(path string) {
	for _, suffix := range parts {
		os.Remove(path + suffix) // removeAbandoned removes the rest later
	}
	os.Remove(path + lockSuffix)
}

// maxMakingTime is longer than the making of any file.
const maxMakingTime = time.Hour

// removeAbandoned removes files of processes that died while making the file at
// path: unlocked files or, on a system without locks, old ones.
func removeAbandoned(path string) {
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

// unfinishedName returns the database of a file if its name is from
// newUnfinished.
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
		return true // the lock file is made first and removed last
	case err != nil || !info.Mode().IsRegular():
		return false
	case !locksWork:
		return time.Since(info.ModTime()) > maxMakingTime
	}
	lock, err := os.OpenFile(base+lockSuffix, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer lock.Close() // Close also unlocks
	return tryLock(lock) == nil
}
