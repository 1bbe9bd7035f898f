//go:build !unix

package gitext

import "io/fs"

func ownedByUs(fs.FileInfo) bool { return true }
