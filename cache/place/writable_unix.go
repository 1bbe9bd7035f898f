//go:build unix

package place

import (
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// checkWritable returns an error unless directories can be created in dir.
func checkWritable(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%q is not a directory", dir)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return &fs.PathError{Op: "write to", Path: dir, Err: err}
	}
	return nil
}
