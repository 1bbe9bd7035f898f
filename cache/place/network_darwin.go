package place

import "golang.org/x/sys/unix"

// networkFS returns the name of path's file system and whether it is on the
// network.
func networkFS(path string) (string, bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return "", false // opening the file reports the error
	}
	return unix.ByteSliceToString(fs.Fstypename[:]), fs.Flags&unix.MNT_LOCAL == 0
}
