//go:build !unix

package disk

import (
	"errors"
	"io/fs"
	"os"
)

// lock fails: without kernel locks, leftovers cannot be told from directories in use.
func lock(*os.File) error { return errors.ErrUnsupported }

func own(fs.FileInfo) bool { return true }
