package place

import "golang.org/x/sys/unix"

// networkFS names the file system of path if it is not local.
func networkFS(path string) (string, bool) {
	var fs unix.Statfs_t
	if err := unix.Statfs(path, &fs); err != nil {
		return "", false // opening the file will say what is wrong
	}
	return unix.ByteSliceToString(fs.Fstypename[:]), fs.Flags&unix.MNT_LOCAL == 0
}
