package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// These patterns match the names that git-agent creates in a folder, as
// slash-separated paths. A pattern that ends in a slash matches a directory.
var (
	cacheNames = []string{
		"cache.db*", "index.db*", "slow-search", "bisect-*.jsonl", "shadow.git/", "shadow.git/HEAD", "shadow.git/config", "shadow.git/attributes", "shadow.git/shallow",
		"shadow.git/bloom-tips", "shadow.git/graph-seen", "shadow.git/tmp-*", "shadow.git/refs/", "shadow.git/objects/", "shadow.git/objects/pack/",
		"shadow.git/objects/info/", "shadow.git/objects/info/alternates", "shadow.git/objects/info/commit-graph*",
		"shadow.git/objects/info/tmp[-_]*",
	}
	recordNames = []string{recordName, recordName + ".making-*", recordName + ".damaged/"}
	// wholeNames are directories with content written by the user's commands.
	wholeNames = []string{"setup"}
	runNames   = []string{"traces.db*", "traces.db.runs/", "traces.db.runs/*"}
)

// RemoveCache removes reproducible data, and the folder if it is then empty.
// Recorded runs stay. It returns the names of the remaining files that git-agent
// did not make.
func (f Folder) RemoveCache() (left []string, err error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	names := slices.Concat(cacheNames, recordNames)
	if f.HasRuns() {
		names = cacheNames // keep the record, which names the repository of the runs
	}
	parent, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	for _, name := range wholeNames {
		if err := parent.RemoveAll(path.Join(filepath.Base(f.Path), name)); err != nil {
			return nil, err
		}
	}
	left, err = removeDir(parent, filepath.Base(f.Path), names)
	return slices.DeleteFunc(left, func(name string) bool {
		return matches(recordNames, name) || matches(runNames, name) || matches(runNames, name+"/")
	}), err
}

// HasRuns reports whether the folder contains recorded runs.
func (f Folder) HasRuns() bool {
	entries, _ := os.ReadDir(f.Path) // if the folder cannot be listed, nothing in it is removed
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return matches(runNames, e.Name()) })
}

// RemoveOld removes files of earlier versions from dir, the directory "agent" in
// a git directory, and dir if it is then empty. Its content may have come with an
// archive: no link is followed, and files with other names stay.
func RemoveOld(dir string) (left []string, err error) {
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return removeDir(parent, filepath.Base(dir), slices.Concat(runNames, cacheNames))
}

// removeDir removes the files with these names from a directory, and then the
// directory.
func removeDir(parent *os.Root, dir string, names []string) (left []string, err error) {
	was, err := parent.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !was.IsDir() || !disk.OwnedByUser(was) {
		return nil, fmt.Errorf("%q is not a directory of yours", dir)
	}
	root, err := parent.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if is, err := root.Stat("."); err != nil || !os.SameFile(was, is) {
		return nil, errors.Join(err, fmt.Errorf("%q was replaced while it was opened", dir))
	}
	if left, err = removeNames(root, ".", names); err != nil || len(left) > 0 {
		return left, err
	}
	return nil, parent.Remove(dir)
}

// removeNames removes the files with these names. It enters directories but
// never follows links.
func removeNames(root *os.Root, dir string, names []string) (left []string, err error) {
	entries, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		known := false
		switch {
		case e.IsDir() && matches(names, name+"/"):
			below, err := removeNames(root, name, names)
			left = append(left, below...)
			if err != nil {
				return left, err
			}
			known = len(below) == 0
			if !known {
				continue // its content is already listed in left
			}
		case !e.IsDir():
			known = matches(names, name) || matches(names, name+"/") // the second form is a link instead of a directory
		}
		if !known {
			left = append(left, name)
			continue
		}
		if err := root.Remove(name); err != nil {
			return left, err
		}
	}
	return left, nil
}

func matches(names []string, name string) bool {
	if first, rest, below := strings.Cut(name, "/"); strings.HasPrefix(first, "tmp-") && below {
		name = "shadow.git/" + rest // an unfinished shadow directory
	}
	for _, pattern := range names {
		if ok, _ := path.Match(pattern, name); ok { // the patterns are constants
			return true
		}
	}
	return false
}
