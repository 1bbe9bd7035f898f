//go:build !unix

package disk

import (
	"errors"
	"io/fs"
	"os"
)

// lock fails: without kernel locks, leftovers and directories in use look the same.
func lock(*os.File) error { return errors.ErrUnsupported }

func own(fs.FileInfo) bool { return true }
