// Package man embeds the manual pages of git-agent and formats them on systems without man(1).
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
	"slices"
	"strings"
)

//go:embed *.1 *.7
var pages embed.FS

// Names returns the sorted names of the commands' pages without their section, such as
// "git-agent-szz".
func Names() []string { return named(".1") }

// Guides returns the sorted names of the pages that describe no command, such as
// "git-agent-reproducing". They are in section 7.
func Guides() []string { return named(".7") }

// named returns the names of the files with an extension, without the extension.
func named(section string) []string {
	entries, err := pages.ReadDir(".")
	if err != nil {
		return nil // an embedded directory is always readable
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), section); ok {
			names = append(names, name)
		}
	}
	return names
}

// file returns the name of the file of a page.
func file(name string) string {
	if slices.Contains(Guides(), name) {
		return name + ".7"
	}
	return name + ".1"
}

// Page returns the source of a page in man(7) format.
func Page(name string) (string, error) {
	b, err := pages.ReadFile(file(name))
	if err != nil {
		return "", fmt.Errorf("no manual page %q", name)
	}
	return string(b), nil
}

// Install installs every page below dir/man1 or dir/man7 and returns the names of the
// files. It calls write to create each file.
func Install(dir string, write func(file, page string) error) ([]string, error) {
	var written []string
	for _, name := range slices.Concat(Names(), Guides()) {
		page, err := Page(name)
		if err != nil {
			return written, err
		}
		base := file(name)
		section := filepath.Join(dir, "man"+strings.TrimPrefix(filepath.Ext(base), "."))
		if err := os.MkdirAll(section, 0o755); err != nil {
			return written, err
		}
		if err := write(filepath.Join(section, base), page); err != nil {
			return written, err
		}
		written = append(written, filepath.Join(section, base))
	}
	return written, nil
}
