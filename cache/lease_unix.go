//go:build unix

package cache

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// locksWork is true: the kernel drops the locks of a dead process.
const locksWork = true

// lockDir locks a directory, so that only one process at a time renames files there. On a file
// system without locks, it does nothing.
func lockDir(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(d.Fd()), unix.LOCK_EX)
	return func() { d.Close() }, nil // Close also unlocks
}

// tryLock locks an open file, or returns ErrHeld. A child process does not inherit the
// lock, because Go opens files with O_CLOEXEC.
func tryLock(file *os.File) error {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
