package trial

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/gitext"
)

// A Lock is a file in which a package manager noted the versions of the packages that it chose,
// such as Cargo.lock. Many libraries ignore it. Without it, the package manager chooses again in
// the scratch work tree, where it may want packages that are not installed.
type Lock struct {
	Path    string // from the top, with slashes
	Content []byte
	Time    time.Time `json:"-"` // of its last change, which the copies have too
}

// These limits bound what FindLocks returns.
const (
	maxLocks = 64
	maxLock  = 8 << 20 // bytes of one file
)

// lockNames are the names of lock files, in lower case.
var lockNames = strings.Fields(`cargo.lock package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock
	poetry.lock uv.lock pipfile.lock pdm.lock pixi.lock pylock.toml gemfile.lock gems.locked composer.lock mix.lock gradle.lockfile
	buildscript-gradle.lockfile settings-gradle.lockfile package.resolved packages.lock.json pubspec.lock go.work.sum cabal.project.freeze
	stack.yaml.lock rebar.lock podfile.lock conan.lock`)

// FindLocks returns the lock files of a directory that are regular files, not too large, and not
// tracked in a commit. dir is a checkout of the commit, or of one close to it; lock files count
// only in directories that the commit has, too.
func FindLocks(ctx context.Context, repo *gitext.Repo, commit gitext.OID, dir string) ([]Lock, error) {
	files, dirs, err := tracked(ctx, repo, commit)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return locksIn(root, files, dirs), nil
}

// locksIn finds the lock files in directories of a commit.
func locksIn(root *os.Root, files, dirs map[string]bool) []Lock {
	var locks []Lock
	for d := range dirs {
		for _, name := range namesIn(root, filepath.FromSlash(d)) {
			p := path.Join(d, name)
			if !slices.Contains(lockNames, strings.ToLower(name)) || files[p] {
				continue
			}
			if content, changed, ok := readLock(root, filepath.FromSlash(p)); ok {
				locks = append(locks, Lock{p, content, changed})
			}
		}
	}
	slices.SortFunc(locks, func(a, b Lock) int { return strings.Compare(a.Path, b.Path) })
	return locks[:min(len(locks), maxLocks)]
}

// namesIn returns the names in a directory; none if it cannot be read or is a link.
func namesIn(root *os.Root, dir string) []string {
	if info, err := root.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := root.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // what was read before an error is enough
	return names
}

// readLock reads a regular file. It reports false for a link and for a file that is too large.
func readLock(root *os.Root, name string) (content []byte, changed time.Time, ok bool) {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLock {
		return nil, changed, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, changed, false
	}
	defer f.Close()
	content, err = io.ReadAll(io.LimitReader(f, maxLock+1))
	return content, info.ModTime(), err == nil && len(content) <= maxLock
}

// FindInstalled sets what commands need of the user's work tree besides the files of a commit: the
// directories of [FindDependencies], and the lock files that the commit lacks. A bare repository
// has neither, and the lock files of the options stay.
func (o *Options) FindInstalled(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (err error) {
	if repo.WorkTree() == "" {
		return nil
	}
	o.Dependencies, o.Locks, err = findInstalled(ctx, repo, commit, repo.WorkTree())
	return err
}

// withLocks adds lock files to the options. They count before those of the same paths.
func (o *Options) withLocks(locks []Lock) {
	all := slices.Clone(locks)
	for _, l := range o.Locks {
		if !slices.ContainsFunc(locks, func(have Lock) bool { return have.Path == l.Path }) {
			all = append(all, l)
		}
	}
	o.Locks = all
}

// layLocks copies the lock files into the directories that the commit has. Where there is a file
// already, it is the commit's.
func layLocks(tree *os.Root, locks []Lock) error {
	for _, l := range locks {
		name := filepath.FromSlash(l.Path)
		if info, err := tree.Lstat(filepath.Dir(name)); err != nil || !info.IsDir() {
			continue
		}
		f, err := tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(l.Content)
		if err = errors.Join(err, f.Close(), tree.Chtimes(name, l.Time, l.Time)); err != nil {
			return err
		}
	}
	return nil
}

// layLocksIn is layLocks for a directory.
func layLocksIn(dir string, locks []Lock) error {
	if len(locks) == 0 {
		return nil
	}
	tree, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	return layLocks(tree, locks)
}

// liftLocks removes the lock files, which a command may have changed, so that each commit is tried
// with the user's or its own.
func liftLocks(tree *os.Root, locks []Lock) error {
	for _, l := range locks {
		if err := tree.RemoveAll(filepath.FromSlash(l.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isLock reports whether a path is one of a lock file of the options.
func (w *Workspace) isLock(path string) bool {
	return slices.ContainsFunc(w.opt.Locks, func(l Lock) bool { return l.Path == path })
}
