package gitdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// errBlocking returns an error if a file would block git.
func errBlocking(path string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil {
			return nil // a dangling link: git reports it
		}
		mode = info.Mode()
	}
	if mode&(fs.ModeNamedPipe|fs.ModeDevice) == 0 || isNull(path) {
		return nil
	}
	return &disk.KindError{Path: path, Mode: mode}
}

// isNull reports whether path is the null device, also under other names, because
// people link to it.
func isNull(path string) bool {
	a, errA := os.Stat(path)
	b, errB := os.Stat(os.DevNull)
	return errors.Join(errA, errB) == nil && os.SameFile(a, b)
}

// gitEntries lists the names that git reads in a git directory. Other entries,
// such as another program's pipe or socket, do not block git.
var gitEntries = map[string]bool{
	"config": true, "config.worktree": true, "commondir": true, "gitdir": true, "packed-refs": true, "shallow": true, "index": true,
	"info": true, "refs": true, "objects": true, "worktrees": true, "reftable": true, "logs": true,
}

// Blocking looks for a file that blocks git in a git directory.
func Blocking(ctx context.Context, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // git reports it
	}
	for _, e := range entries {
		if !gitEntries[e.Name()] && !strings.HasSuffix(e.Name(), "HEAD") && !strings.HasPrefix(e.Name(), "sharedindex.") {
			continue
		}
		if err := BlockingBelow(ctx, filepath.Join(dir, e.Name()), nil); err != nil {
			return err
		}
	}
	return nil
}

// BlockingBelow checks every file below top that has one of the names; nil
// means every file.
func BlockingBelow(ctx context.Context, top string, named map[string]bool) error {
	return filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return nil // git reports unreadable files
		case d.IsDir() && named != nil && d.Name() == ".git" && path != top:
			return fs.SkipDir
		case d.IsDir(), named != nil && !named[d.Name()]:
			return nil
		}
		return errBlocking(path, d.Type())
	})
}
