// Package man holds the manual pages of git-agent and shows them where no
// man(1) is.
//
// The pages are written by hand, in the man(7) macros that [Text] knows, but
// for the parts between "begin" and "end" comments, which a test of
// cmd/git-agent makes from the flag table. The package promises that what is
// embedded is what is installed. It does not know the program's options.
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

// Names lists the pages without their section, sorted: "git-agent", ....
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

// Page returns the source of a page.
func Page(name string) (string, error) {
	b, err := pages.ReadFile(name + ".1")
	if err != nil {
		return "", fmt.Errorf("no manual page %q", name)
	}
	return string(b), nil
}

// Install has write make a file of every page below dir/man1, and returns the
// files' names.
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
