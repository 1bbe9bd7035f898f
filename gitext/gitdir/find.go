// Package gitdir examines a git directory without git: its place, its defects, files that would
// keep git waiting, and its object directories. It also makes the shadow, our own git directory
// with the same objects.
package gitdir

import (
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// Find returns the git directory that git would try for dir, or "". It serves only to explain why
// git does not open a repository.
func Find(dir, named string) string {
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
		if disk.Exists(filepath.Join(dir, "objects")) && disk.Exists(filepath.Join(dir, "refs")) {
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

// linkedGitDir returns the directory named in a .git file.
func linkedGitDir(file string) string {
	text, err := disk.ReadRegular(file, maxGitFile)
	if err != nil {
		return file // the caller reads the file and reports the defect
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
