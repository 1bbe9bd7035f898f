//go:build unix

package gitdir

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownedByUs reports whether a directory belongs to the user that runs this
// program.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// stampOf returns a text that changes when the file does. It includes the
// ctime, which the file's owner cannot set.
func stampOf(path string, info fs.FileInfo) string {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return "" // matches no stamp, so the file is read again
	}
	sec, nsec := st.Ctim.Unix()
	return fmt.Sprintf("%d %d %d %d.%09d\n", info.Size(), info.ModTime().UnixNano(), st.Ino, sec, nsec)
}
