//go:build unix

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// lock locks a directory, or fails if another open file holds the lock.
func lock(dir *os.File) error {
	return syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}

// OwnedByUser reports whether a file belongs to the user that runs this program.
func OwnedByUser(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
