//go:build unix

package gitdir

import (
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"
)

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
