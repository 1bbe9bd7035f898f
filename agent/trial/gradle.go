package trial

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
)

// Gradle writes locks, the registry of its daemons and what it compiled of build files into its user
// home, which a confined command must not write. So such a command gets a home of its own among the
// caches of the workspace. The user's files are links there: what was downloaded, and the
// distributions of the wrapper. Only the small files with which Gradle finds the former are copied,
// because Gradle opens them for writing.

// gradleFolder is the directory of Gradle's home among the caches.
const (
	gradleFolder = "gradle"
	maxMetadata  = 256 << 20 // bytes of one copied file
)

// gradleCommand matches commands that start Gradle or its wrapper.
var gradleCommand = source.Lazy(`(^|[\s;&|(/])gradlew?\b`)

// gradle returns the variable that leads a confined command to its home of Gradle, which it makes at
// its first use.
func (w *Workspace) gradle(command string) ([]string, error) {
	if w.level == sandbox.None || w.opt.Setup != nil || !gradleCommand().MatchString(command) {
		return nil, nil
	}
	home := filepath.Join(w.cache, gradleFolder)
	if _, err := os.Lstat(home); err == nil {
		return w.gradleVariables(home), nil
	}
	if err := fillGradle(gradle.user(), home, w.opt.Network); err != nil {
		return nil, fmt.Errorf("home of Gradle: %w", err)
	}
	return w.gradleVariables(home), nil
}

// gradleVariables returns the variables of a confined Gradle. Java's own directory for temporary files cannot
// be written where landlock confines a command, and Gradle ends with "Could not start Gradle daemon".
func (w *Workspace) gradleVariables(home string) []string {
	list := []string{gradle.variable() + "=" + home}
	if w.level == sandbox.Landlock {
		list = append(list, "GRADLE_OPTS=-Djava.io.tmpdir="+w.temp)
	}
	return list
}

// fillGradle makes a home of Gradle that reads the files of another one. What is not there is left
// out. more says that Gradle downloads more files, and writes beside the downloaded ones.
func fillGradle(from, to string, more bool) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, dir := range globbed(from, "wrapper/dists/*/*") {
		if err := linkAll(filepath.Join(from, dir), filepath.Join(to, dir)); err != nil {
			return err
		}
	}
	link := linkTo
	if more {
		link = linkTree
	}
	for _, dir := range append(globbed(from, "caches/modules-2/files-*"), globbed(from, "jdks")...) {
		if err := link(filepath.Join(from, dir), filepath.Join(to, dir)); err != nil {
			return err
		}
	}
	for _, dir := range globbed(from, "caches/modules-2/metadata-*") {
		if err := copyFiles(filepath.Join(from, dir), filepath.Join(to, dir)); err != nil {
			return err
		}
	}
	return nil
}

// copyFiles copies the files of a directory, except for locks.
func copyFiles(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(p, ".lock") {
			return nil // what cannot be read is downloaded again, or named as missing
		}
		within, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		return copyFile(p, filepath.Join(to, within))
	})
}

// globbed returns what a pattern matches below a directory, as paths from there.
func globbed(dir, pattern string) []string {
	if dir == "" {
		return nil
	}
	found, _ := fs.Glob(os.DirFS(dir), pattern) // of a pattern that is well formed
	for i := range found {
		found[i] = filepath.FromSlash(found[i])
	}
	return found
}

// linkAll makes a directory with links to all entries of another one, except for locks.
func linkAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return nil // a file
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lck") {
			continue
		}
		if err := linkTo(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func linkTo(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Symlink(from, to)
}

// copyFile copies a regular file, if it is not too large.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxMetadata {
		return nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
