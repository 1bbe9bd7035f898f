package sandbox

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// A BuildCache is a directory that outlives commands. Only compilers fill it: a command can
// write in it only if the caller names it in [Spec].Writable, and callers name it only for
// commands that run a compiler and no code of a repository. All other commands have their own
// cache with copies of its files and links to them (see [BuildCache.Show]).
//
// While it is open, it is locked; several processes can have it open together.
type BuildCache struct {
	dir  string
	lock *os.File
}

// maxBuildCache is the size at which a build cache is emptied, in bytes.
const maxBuildCache = 2 << 30

// OpenBuildCache opens the build cache in a directory, and makes the directory if needed. It
// empties a cache that is too large, unless another process has it open.
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
	b.bound()
	if b.lock, err = shareFile(filepath.Join(dir, lockName)); err != nil {
		return nil, fmt.Errorf("lock the build cache: %w", err)
	}
	return b, nil
}

// bound empties a cache with more than most bytes, if nobody has it open.
func (b *BuildCache) bound() {
	if treeSize(b.Content()) <= maxBuildCache {
		return
	}
	if gate, err := lockFile(filepath.Join(b.dir, lockName), false); err == nil {
		RemoveAll(b.Content()) // remaining files are used or removed later
		unlock(gate)
	}
}

// treeSize returns the bytes in the files of a directory.
func treeSize(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable files are not counted
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			size += info.Size()
		}
		return nil
	})
	return size
}

// Content returns the directory with the files of compilers.
func (b *BuildCache) Content() string { return filepath.Join(b.dir, "content") }

// Close ends the use of the cache; links to it may then lead nowhere.
func (b *BuildCache) Close() error { return unlock(b.lock) }

// copied is the size, in bytes, below which a file is copied and not linked. Nine of ten
// files of Go's cache are smaller and hold a fortieth of its bytes, and a link may take
// longer to make than such a file (ext4: a millisecond).
const copied = 64 << 10

// Show makes a writable directory for a compiler with the present content of the cache and
// nothing else: new directories, copies of small files, and links to the others. Files that are
// already right stay, because some file systems need a second to make thousands of files. No
// command may be running.
func (b *BuildCache) Show(to string) error {
	if err := b.show(to); err != nil {
		// A command may have made it unreadable or replaced it by a file.
		if err := RemoveAll(to); err != nil {
			return fmt.Errorf("show the build cache: %w", err)
		}
		if err := b.show(to); err != nil {
			return fmt.Errorf("show the build cache: %w", err)
		}
	}
	return nil
}

func (b *BuildCache) show(to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if info, err := os.Lstat(to); err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
		return cmp.Or(err, fs.ErrExist)
	}
	there, err := b.tidy(to)
	if err != nil {
		return err
	}
	from := b.Content()
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil || there[rel] || rel == ".":
			return err
		case d.IsDir():
			return os.Mkdir(filepath.Join(to, rel), 0o700)
		case d.Type().IsRegular():
			return put(path, filepath.Join(to, rel), d)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the cache is empty, or a compiler is removing old files
	}
	return err
}

// tidy removes all files from a directory that differ from those of Show, and returns the
// remaining ones.
func (b *BuildCache) tidy(to string) (there map[string]bool, err error) {
	there = map[string]bool{}
	err = filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(to, path)
		if err != nil || rel == "." {
			return err
		}
		if there[rel] = shows(filepath.Join(b.Content(), rel), path); there[rel] {
			return nil
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return there, err
}

// shows reports whether path is the copy or link that put makes of the cache's file from, or a
// directory if from is one.
func shows(from, path string) bool {
	want, err := os.Lstat(from)
	if err != nil {
		return false
	}
	got, err := os.Lstat(path)
	switch {
	case err != nil:
		return false
	case want.IsDir() || got.IsDir():
		return want.IsDir() && got.IsDir() && got.Mode().Perm() == 0o700
	case !want.Mode().IsRegular():
		return false
	case want.Size() >= copied:
		to, err := os.Readlink(path)
		return err == nil && to == from
	case !got.Mode().IsRegular() || got.Mode().Perm() != 0o600 || got.Size() != want.Size() || linked(got):
		return false
	}
	a, err := os.ReadFile(from)
	if err != nil {
		return false
	}
	b, err := os.ReadFile(path)
	return err == nil && bytes.Equal(a, b)
}

// put copies or links one file.
func put(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	if info.Size() >= copied {
		return os.Symlink(from, to)
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o600)
}

// Put stores copies of the regular files of a directory under a name, in place of those that were
// stored under it.
func (b *BuildCache) Put(name, from string) error {
	if err := os.MkdirAll(b.Content(), 0o700); err != nil {
		return fmt.Errorf("build cache: %w", err)
	}
	fresh, err := os.MkdirTemp(b.Content(), "new-")
	if err != nil {
		return fmt.Errorf("build cache: %w", err)
	}
	defer RemoveAll(fresh)
	to := filepath.Join(b.Content(), name)
	err = copyTree(from, fresh)
	if err == nil {
		err = RemoveAll(to)
	}
	if err == nil {
		err = os.Rename(fresh, to)
	}
	if err != nil {
		return fmt.Errorf("build cache: %w", err)
	}
	return nil
}

// Take makes a directory with copies of the files that were stored under a name, and nothing else.
// A compiler may write in them. The times of their changes stay, by which Cargo knows what to build
// anew.
func (b *BuildCache) Take(name, to string) error {
	err := RemoveAll(to)
	if err == nil {
		err = os.Mkdir(to, 0o700)
	}
	if err == nil {
		err = copyTree(filepath.Join(b.Content(), name), to)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // nothing is stored, or somebody removes it
		return fmt.Errorf("show the build cache: %w", err)
	}
	return nil
}

// copyTree copies the directories and regular files of a directory into an empty one.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
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
			return copyFile(path, filepath.Join(to, rel))
		}
		return nil
	})
}

// copyFile copies one file, with the time of its last change.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|info.Mode()&0o100)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
