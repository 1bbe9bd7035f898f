//go:build unix

package gitext

import (
	"io/fs"
	"os"
	"syscall"
)

// ownedByUs is false for a directory that another user can change.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}
