package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file completely or not at all: it writes a temporary file in
// the same directory and renames it. Errors name path, not the temporary file.
func WriteFile(path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return errorAt(path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename, which is harmless
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return errorAt(path, err)
	}
	return errorAt(path, os.Rename(f.Name(), path))
}

// errorAt replaces the path in an error of the system by path.
func errorAt(path string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &file):
		err = file.Err
	case errors.As(err, &link):
		err = link.Err
	default:
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}
