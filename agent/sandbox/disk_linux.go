package sandbox

import (
	"io/fs"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// freeSpace returns the free space for the user in the file system of a directory.
func freeSpace(dir string) space {
	free := space{-1, -1}
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return free
	}
	free.bytes = int64(st.Bavail) * st.Bsize
	if st.Files > 0 { // some file systems have no table of files
		free.files = int64(st.Ffree)
	}
	return free
}

// occupied returns a file's bytes on the disk and the time of its last change (ctime), which no
// command can set. A file with several names counts once for each name that is seen.
func occupied(info fs.FileInfo) (int64, time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.Size(), info.ModTime()
	}
	return st.Blocks * 512, time.Unix(st.Ctim.Unix())
}
