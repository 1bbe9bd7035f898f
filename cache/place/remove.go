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
)

// The names that git-agent makes in a folder, as patterns of slash-separated
// paths; one that ends in a slash is a directory.
var (
	cacheNames = []string{
		"cache.db*", "shadow.git/", "shadow.git/HEAD", "shadow.git/config", "shadow.git/attributes", "shadow.git/shallow",
		"shadow.git/bloom-tips", "shadow.git/tmp-*", "shadow.git/refs/", "shadow.git/objects/", "shadow.git/objects/pack/",
		"shadow.git/objects/info/", "shadow.git/objects/info/alternates", "shadow.git/objects/info/commit-graph*",
		"shadow.git/objects/info/tmp[-_]*",
	}
	recordNames = []string{recordName, recordName + ".making-*", recordName + ".damaged/"}
	runNames    = []string{"traces.db*", "traces.db.runs/", "traces.db.runs/*"}
)

// RemoveCache removes what can be computed again, and the folder when it is
// empty then. Recorded runs stay. It returns the names of what is left because
// git-agent did not make it.
func (f Folder) RemoveCache() (left []string, err error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	names := slices.Concat(cacheNames, recordNames)
	if f.HasRuns() {
		names = cacheNames // the record says whose runs they are
	}
	parent, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	left, err = removeDir(parent, filepath.Base(f.Path), names)
	return slices.DeleteFunc(left, func(name string) bool {
		return matches(recordNames, name) || matches(runNames, name) || matches(runNames, name+"/")
	}), err
}

// HasRuns is true when there are recorded runs in the folder.
func (f Folder) HasRuns() bool {
	entries, _ := os.ReadDir(f.Path) // what cannot be listed is not removed either
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return matches(runNames, e.Name()) })
}

// RemoveOld removes what earlier versions made in dir, which is the directory
// "agent" in a git directory, and dir when it is empty then. What lies there may
// have come with an archive: no link is followed, and what has other names
// stays.
func RemoveOld(dir string) (left []string, err error) {
	parent, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return removeDir(parent, filepath.Base(dir), slices.Concat(runNames, cacheNames))
}

// removeDir removes what has these names in a directory, and the directory.
func removeDir(parent *os.Root, dir string, names []string) (left []string, err error) {
	was, err := parent.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !was.IsDir() || !ownedByUs(was) {
		return nil, fmt.Errorf("%q is not a directory of yours", dir)
	}
	root, err := parent.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if is, err := root.Stat("."); err != nil || !os.SameFile(was, is) {
		return nil, errors.Join(err, fmt.Errorf("%q is another directory now", dir))
	}
	if left, err = removeNames(root, ".", names); err != nil || len(left) > 0 {
		return left, err
	}
	return nil, parent.Remove(dir)
}

// removeNames goes down into directories, and never through links.
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
				continue // what is in it was named
			}
		case !e.IsDir():
			known = matches(names, name) || matches(names, name+"/") // a link in the place of a directory
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
		name = "shadow.git/" + rest // a shadow in the making
	}
	for _, pattern := range names {
		if ok, _ := path.Match(pattern, name); ok { // the patterns are constants
			return true
		}
	}
	return false
}
