//go:build !unix

package place

import "io/fs"

// OwnedByUser is always true on this system, where a user's directories are
// closed to others.
func OwnedByUser(fs.FileInfo) bool { return true }

// checkWritable does nothing on this system: the first write shows whether it
// works.
func checkWritable(string) error { return nil }
