// Package gitdir examines a git directory without git: where it is, what is
// wrong with it, which of its files would keep git waiting, and which
// directories hold its objects. It also makes the shadow, our own git directory with the
// same objects.
package gitdir

import (
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
)

// Find returns the directory where git would look for the repository of
// dir, or "". It is used only to explain why git does not open a repository.
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

// linkedGitDir returns the directory that a .git file names.
func linkedGitDir(file string) string {
	text, err := disk.ReadRegular(file, maxGitFile)
	if err != nil {
		return file // the caller reads it and reports what is wrong
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
