package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a file completely or not at all. Errors name path.
func WriteFile(path string, mode os.FileMode, write func(io.Writer) error) error {
	f, err := createFile(path, mode)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.abort()
		return errorAt(path, err)
	}
	return f.Commit()
}

// newFile is a file that is being written: a temporary file in the same directory, which gets its
// name at the end.
type newFile struct {
	*os.File
	path string
	mode os.FileMode
}

// createFile begins a file. Errors name path, not the temporary file.
func createFile(path string, mode os.FileMode) (*newFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, errorAt(path, err)
	}
	return &newFile{f, path, mode}, nil
}

// abort removes the file.
func (f *newFile) abort() {
	f.Close()
	os.Remove(f.Name()) // fails after Commit, which is harmless
}

// Commit gives the file its name. After an error there is no file.
func (f *newFile) Commit() error {
	defer os.Remove(f.Name()) // fails after the rename, which is harmless
	if err := errors.Join(f.Chmod(f.mode), f.Close()); err != nil {
		return errorAt(f.path, err)
	}
	return errorAt(f.path, os.Rename(f.Name(), f.path))
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
