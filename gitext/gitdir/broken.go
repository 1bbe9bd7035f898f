package gitdir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// BrokenAt describes the defect of the repository at dir, or returns "" if there
// is none. The text names the path, since git may have searched parent
// directories.
func BrokenAt(dir, named string) string {
	place := Find(dir, named)
	if place == "" {
		return ""
	}
	from := ""
	if named != "" {
		from = "GIT_DIR names it"
	} else if filepath.Base(place) != ".git" || !isDir(place) {
		from = "a .git file names it"
	}
	why := brokenBecause(place)
	switch {
	case why == "":
		return ""
	case from != "":
		return fmt.Sprintf("%q is not a git repository: %s (%s)", place, why, from)
	}
	return fmt.Sprintf("%q is not a git repository: %s", place, why)
}

// brokenBecause names the part that git misses in a git directory, or returns "".
func brokenBecause(dir string) string {
	if _, err := os.ReadDir(dir); err != nil {
		return reason(err)
	}
	head, err := disk.ReadRegular(filepath.Join(dir, "HEAD"), maxGitFile)
	if link, lerr := os.Readlink(filepath.Join(dir, "HEAD")); lerr == nil && strings.HasPrefix(link, "refs/") {
		head, err = []byte("ref: "+link), nil // early versions of git wrote HEAD as a symbolic link
	}
	if err != nil {
		return "HEAD: " + reason(err)
	}
	text := strings.TrimSpace(string(head))
	if !IsOID(text) && !strings.HasPrefix(text, "ref:") {
		return "HEAD names neither a branch nor a commit"
	}
	common := dir
	if text, err := disk.ReadRegular(filepath.Join(dir, "commondir"), maxGitFile); err == nil {
		common = strings.TrimSpace(string(text))
		if !filepath.IsAbs(common) {
			common = filepath.Join(dir, common)
		}
	}
	for _, name := range []string{"objects", "refs"} {
		if _, err := os.ReadDir(filepath.Join(common, name)); err != nil {
			if common != dir {
				return fmt.Sprintf(
					"%s of the directory that its file commondir names: %s",
					name,
					reason(err),
				) // commondir may be a link to a secret, so its text is not shown
			}
			return name + ": " + reason(err)
		}
	}
	return ""
}

// reason returns the system's error text without the file name.
func reason(err error) string {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return err.Error()
}
