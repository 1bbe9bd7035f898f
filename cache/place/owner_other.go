//go:build !unix

package place

import "io/fs"

// OwnedByUser is always true: on this system, other users have no access to a
// user's directories.
func OwnedByUser(fs.FileInfo) bool { return true }

// checkWritable does nothing on this system: the first write shows whether the
// directory is writable.
func checkWritable(string) error { return nil }
