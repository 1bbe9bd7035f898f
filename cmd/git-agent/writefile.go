package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeFile writes a file whole or not at all. Errors name path, not the file
// beside it that is written first.
func writeFile(path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return errorAt(path, err)
	}
	defer os.Remove(f.Name()) // fails after the rename, as it should
	if err := errors.Join(write(f), f.Chmod(mode), f.Close()); err != nil {
		return errorAt(path, err)
	}
	return errorAt(path, os.Rename(f.Name(), path))
}

// errorAt is what the system says of a file, said of path.
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
