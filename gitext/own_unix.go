//go:build unix

package gitext

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownedByUs is false for a directory that another user can change.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// stampOf changes when the file does: its owner cannot choose the time of the
// last change, which Unix calls ctime.
func stampOf(path string, info fs.FileInfo) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "" // equal to no stamp, so that the file is read
	}
	sec, nsec := st.Ctim.Unix()
	return fmt.Sprintf("%d %d %d %d.%09d\n", info.Size(), info.ModTime().UnixNano(), st.Ino, sec, nsec)
}
