package gitext

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// git opens the files of a repository as they come. One that is a named pipe
// keeps it waiting until its time-out, which is long because honest answers
// are. So a call that runs for a while has somebody look, once, whether such a
// file is in its way, and if so ends with the file's name.

// stuckAfter is how long git may run before the look, which costs a fraction
// of a second in a large repository.
const stuckAfter = 2 * time.Second

// A watcher looks for a file that keeps git waiting: nil if there is none.
type watcher func(context.Context) error

// watch ends a call of git by cancel when look finds why it waits.
func (look watcher) watch(ctx context.Context, cancel context.CancelCauseFunc) (stop func() bool) {
	if look == nil {
		return func() bool { return false }
	}
	return time.AfterFunc(stuckAfter, func() {
		if err := look(ctx); err != nil {
			cancel(err)
		}
	}).Stop
}

// errOdd ends a walk at the first file that is in the way.
func errOdd(path string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil {
			return nil // it leads nowhere, and git will say so
		}
		mode = info.Mode()
	}
	if mode&(fs.ModeNamedPipe|fs.ModeDevice) == 0 || isNull(path) {
		return nil
	}
	return &KindError{path, mode}
}

// isNull is true for the null device, under any name: people link to it.
func isNull(path string) bool {
	a, errA := os.Stat(path)
	b, errB := os.Stat(os.DevNull)
	return errors.Join(errA, errB) == nil && os.SameFile(a, b)
}

// gitEntries are the names in a git directory that git reads. Others, such as
// the pipe or socket of some other program, are not in its way.
var gitEntries = map[string]bool{
	"config": true, "config.worktree": true, "commondir": true, "gitdir": true, "packed-refs": true, "shallow": true, "index": true,
	"info": true, "refs": true, "objects": true, "worktrees": true, "reftable": true, "logs": true,
}

// oddInGitDir looks for a file of a git directory that is no file.
func oddInGitDir(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // git will say so
	}
	for _, e := range entries {
		if !gitEntries[e.Name()] && !strings.HasSuffix(e.Name(), "HEAD") && !strings.HasPrefix(e.Name(), "sharedindex.") {
			continue
		}
		if err := oddBelow(ctx, filepath.Join(dir, e.Name()), nil); err != nil {
			return err
		}
	}
	return nil
}

// oddBelow looks at every file below a place that has one of the names; nil is
// any name.
func oddBelow(ctx context.Context, top string, named map[string]bool) error {
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // unreadable: git will say so
		case d.IsDir() && named != nil && d.Name() == ".git" && path != top:
			return fs.SkipDir
		case d.IsDir(), named != nil && !named[d.Name()]:
			return nil
		}
		return errOdd(path, d.Type())
	})
}

// odd is the watcher of a repository's git directories.
func (r *Repo) odd(ctx context.Context) error {
	dirs := []string{r.gitDir, r.commonDir}
	if r.gitDir == "" { // it was not found yet
		dirs = []string{findGitDir(r.opt.Dir, r.user.getenv("GIT_DIR"))}
	}
	for _, dir := range dirs {
		if err := oddInGitDir(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}

// findGitDir looks where git would find the repository of dir: only for words
// about a repository that git itself does not open. "" is nowhere.
func findGitDir(dir, named string) string {
	if named != "" {
		return named
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		if info, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			if info.IsDir() {
				return filepath.Join(dir, ".git")
			}
			return linkedGitDir(filepath.Join(dir, ".git"))
		}
		if exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs")) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// maxGitFile bounds a .git file, which holds one path.
const maxGitFile = 16 << 10

// linkedGitDir is where a .git file says that the repository is.
func linkedGitDir(file string) string {
	text, err := ReadRegular(file, maxGitFile)
	if err != nil {
		return file // as it is: whoever looks there finds what is wrong
	}
	dir, found := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if !found {
		return file
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(file), dir)
	}
	return dir
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
