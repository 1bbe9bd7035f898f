//go:build !unix

package cache

import "io/fs"

// nonblock is not needed where pipes have no names in directories.
const nonblock = 0

// ownedByUs cannot tell on this system.
func ownedByUs(fs.FileInfo) bool { return true }
