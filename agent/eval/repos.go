package eval

import (
	"os"
	"path/filepath"
	"strings"
)

// Finder finds repositories in a folder of clones.
type Finder struct{ Dir string }

// Find returns the repository of the first of these names that is there, or ""
// and false.
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

// layouts lists the places of owner/name: nested, flat, or one folder with the
// clone inside it.
func layouts(name string) []string {
	var places []string
	for _, sep := range []string{"/", "__", "+"} {
		place := strings.ReplaceAll(name, "/", sep)
		places = append(places, place, place+".git", filepath.Join(place, "repo"))
	}
	return places
}

// isRepository looks only at what every kind of repository has, reftable ones
// and those whose .git is a file included. Opening it is git's business.
func isRepository(dir string) bool {
	if exists(filepath.Join(dir, ".git")) {
		return true
	}
	return exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects"))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
