// Package man holds the manual pages of git-agent and formats them on systems
// without man(1).
//
// The pages are written by hand in the man(7) macros that [Text] supports. The parts
// between "begin" and "end" comments are generated from the flag table by a test of
// cmd/git-agent. The installed pages are the embedded ones.
package man

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed *.1
var pages embed.FS

// Names returns the sorted names of the pages without their section, such as
// "git-agent".
func Names() []string {
	entries, err := pages.ReadDir(".")
	if err != nil {
		return nil // an embedded directory is always readable
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".1"))
	}
	return names
}

// Page returns the source of a page in man(7) format.
func Page(name string) (string, error) {
	b, err := pages.ReadFile(name + ".1")
	if err != nil {
		return "", fmt.Errorf("no manual page %q", name)
	}
	return string(b), nil
}

// Install installs every page below dir/man1 and returns the names of the files. It
// calls write to create each file.
func Install(dir string, write func(file, page string) error) ([]string, error) {
	dir = filepath.Join(dir, "man1")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var written []string
	for _, name := range Names() {
		page, err := Page(name)
		if err != nil {
			return written, err
		}
		file := filepath.Join(dir, name+".1")
		if err := write(file, page); err != nil {
			return written, err
		}
		written = append(written, file)
	}
	return written, nil
}
