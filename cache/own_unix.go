//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a pipe from waiting for its other end.
const nonblock = unix.O_NONBLOCK

// ownedByUs is false for a file of another user.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
