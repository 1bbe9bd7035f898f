package eval

import (
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// Finder finds repositories in the folder Dir, which holds clones.
type Finder struct{ Dir string }

// Find returns the path of the first repository in names that exists. If none
// exists, it returns "" and false.
func (f Finder) Find(names ...string) (string, bool) {
	for _, name := range names {
		if CheckRepoName(name) != nil {
			continue
		}
		for _, layout := range layouts(name) {
			if dir := filepath.Join(f.Dir, layout); isRepository(dir) {
				return dir, true
			}
		}
	}
	return "", false
}

// layouts lists the relative paths where the clone of owner/name may be: nested,
// flat, or inside a folder of its own.
func layouts(name string) []string {
	var places []string
	for _, sep := range []string{"/", "__", "+"} {
		place := strings.ReplaceAll(name, "/", sep)
		places = append(places, place, place+".git", filepath.Join(place, "repo"))
	}
	return places
}

// isRepository reports whether dir looks like a git repository. It checks only for the common
// parts of all repositories, including those with reftable and those whose .git is a file; git
// itself checks the rest.
func isRepository(dir string) bool {
	if disk.Exists(filepath.Join(dir, ".git")) {
		return true
	}
	return disk.Exists(filepath.Join(dir, "HEAD")) && disk.Exists(filepath.Join(dir, "objects"))
}
