//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile locks a file, creating it if needed. If another process holds the lock, lockFile
// waits, or fails at once if wait is false. The kernel drops the lock when its owner dies.
func lockFile(path string, wait bool) (*os.File, error) {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	return flock(path, how)
}

// shareFile takes a shared lock of a file, which several processes can hold together.
func shareFile(path string) (*os.File, error) { return flock(path, syscall.LOCK_SH) }

func flock(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// unlock drops the lock of a file and closes it. Closing alone is not enough: a process that
// this one starts at the same moment has the open file, and so its lock, until it executes a program.
func unlock(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}

// checkPrivate refuses a directory that another user owns or can write: any user can make
// directories below a shared /tmp.
func checkPrivate(dir string) error {
	st, err := os.Stat(dir)
	if err != nil {
		return err
	}
	sys, ok := st.Sys().(*syscall.Stat_t)
	if ok && int(sys.Uid) != os.Getuid() || st.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%q belongs to another user or can be written by others", dir)
	}
	return nil
}

// linked reports whether a file has another name; it could change under that name.
func linked(info os.FileInfo) bool {
	sys, ok := info.Sys().(*syscall.Stat_t)
	return !ok || sys.Nlink > 1
}
