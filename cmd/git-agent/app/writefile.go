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
	f, err := CreateFile(path, mode)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abort()
		return errorAt(path, err)
	}
	return f.Commit()
}

// NewFile is a file that is being written: a temporary file in the same directory, which gets its
// name at the end.
type NewFile struct {
	*os.File
	path string
	mode os.FileMode
}

// CreateFile begins a file. Errors name path, not the temporary file.
func CreateFile(path string, mode os.FileMode) (*NewFile, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return nil, errorAt(path, err)
	}
	return &NewFile{f, path, mode}, nil
}

// Abort removes the file.
func (f *NewFile) Abort() {
	f.Close()
	os.Remove(f.Name()) // fails after Commit, which is harmless
}

// Commit gives the file its name. After an error there is no file.
func (f *NewFile) Commit() error {
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
