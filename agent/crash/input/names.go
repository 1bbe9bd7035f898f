package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"git-agent/gitext/quote"
)

// Stdin is the name of standard input.
const Stdin = "-"

// maxFiles limits the files of one folder.
const maxFiles = 100_000

// A Source is a report to read, or the reason why a name is not a report.
type Source struct {
	Name string
	Err  error
	// Stored is what names a core that systemd-coredump keeps: a process id, the name or the path
	// of a program, or "" for the newest core. It is nil if Name is a file.
	Stored *string
}

// StoredCore returns the source of a core that systemd-coredump keeps. Its name is the command
// that shows the core.
func StoredCore(match string) Source {
	name := "coredumpctl info"
	if match != "" {
		name += " " + quote.Shell(match)
	}
	return Source{Name: name, Stored: &match}
}

// Expand replaces each folder by the regular files in it, in the order of their names. It leaves
// out folders in a folder, and everything else that is not a file.
func Expand(names []string) []Source {
	var out []Source
	for _, name := range names {
		if info, err := os.Stat(name); name == Stdin || err != nil || !info.IsDir() {
			out = append(out, Source{Name: name})
			continue
		}
		files, err := filesIn(name)
		if err != nil {
			out = append(out, Source{Name: name, Err: err})
		}
		for _, file := range files {
			out = append(out, Source{Name: file})
		}
	}
	return out
}

// filesIn returns the regular files of a folder, and the links to regular files.
func filesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, reason(folder, err)
	}
	var files []string
	for _, e := range entries {
		name := filepath.Join(folder, e.Name())
		mode := e.Type()
		if mode&fs.ModeSymlink != 0 {
			info, err := os.Stat(name)
			if err != nil {
				continue // a dangling link
			}
			mode = info.Mode().Type()
		}
		if !mode.IsRegular() {
			continue
		}
		if len(files) == maxFiles {
			return files, fmt.Errorf("%s: only the first %d files are read", folder, maxFiles)
		}
		files = append(files, name)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no file", folder)
	}
	return files, nil
}

// Title returns the name of a report for messages.
func Title(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// reason formats an error as "name: the system's message", without the name of the system call.
func reason(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", Title(name), err)
}
