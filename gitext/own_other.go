//go:build !unix

package gitext

import (
	"fmt"
	"io/fs"
)

// ownedByUs cannot tell on this system.
func ownedByUs(fs.FileInfo) bool { return true }

// stampOf changes when the file does.
func stampOf(_ string, info fs.FileInfo) string {
	return fmt.Sprintf("%d %d\n", info.Size(), info.ModTime().UnixNano())
}
