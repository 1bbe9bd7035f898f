package input

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Stdin is the name of standard input.
const Stdin = "-"

// maxFiles bounds the files of one folder.
const maxFiles = 100_000

// A Source is a report that is to be read, or the reason why a name stands for none.
type Source struct {
	Name string
	Err  error
}

// Expand replaces each folder by the regular files in it, in the order of their
// names. Folders in a folder are left out, and so is all that is no file.
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

// filesIn returns the regular files of a folder, and of links to such files.
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
				continue // a link to nothing
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

// Title returns the name of a report as messages write it.
func Title(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// reason returns an error as "name: what the system says", without the name of the
// system call.
func reason(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", Title(name), err)
}
