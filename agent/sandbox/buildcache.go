package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A BuildCache is a directory that outlives commands and that only compilers fill: a
// command writes in it only if the caller names it in [Spec].Writable, and callers do so
// only for commands that run a compiler and nothing of a repository. All other commands
// read it through links from a cache of their own (see [BuildCache.Show]).
//
// It is locked while it is open, together with other processes that have it open.
type BuildCache struct {
	dir  string
	lock *os.File
}

// maxBuildCache is the size at which a build cache is emptied, in bytes.
const maxBuildCache = 2 << 30

// OpenBuildCache opens the build cache in a directory, which it makes if needed. A cache
// that has grown too large is emptied, unless another process has it open.
func OpenBuildCache(dir string) (*BuildCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	if err := checkPrivate(dir); err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	b := &BuildCache{dir: dir}
	b.bound(maxBuildCache)
	if b.lock, err = shareFile(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("lock the build cache: %w", err)
	}
	return b, nil
}

// bound empties a cache that has more than a number of bytes and that nobody has open.
func (b *BuildCache) bound(most int64) {
	if treeSize(b.Content()) <= most {
		return
	}
	if gate, err := lockFile(filepath.Join(b.dir, lockName), false); err == nil {
		RemoveAll(b.Content()) // what stays is used or removed later
		gate.Close()
	}
}

// treeSize returns the bytes in the files of a directory.
func treeSize(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read is not counted
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// Content returns the directory that holds what compilers wrote.
func (b *BuildCache) Content() string { return filepath.Join(b.dir, "content") }

// Close ends the use of the cache; links to it may then lead nowhere.
func (b *BuildCache) Close() error { return b.lock.Close() }

// Show makes a directory in which a compiler finds all that the cache holds now and in
// which it can write: directories of its own, with a link for each file of the cache. to
// must not exist yet.
func (b *BuildCache) Show(to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("show the build cache: %w", err)
	}
	from := b.Content()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), 0o700)
		case d.Type().IsRegular():
			return os.Symlink(path, filepath.Join(to, rel))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is empty, or a compiler is removing what it no longer needs
	}
	if err != nil {
		return fmt.Errorf("show the build cache: %w", err)
	}
	return nil
}
