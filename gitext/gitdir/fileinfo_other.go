//go:build !unix

package gitdir

import (
	"fmt"
	"io/fs"
)

// stampOf returns a text that changes when the file does.
func stampOf(_ string, info fs.FileInfo) string {
	return fmt.Sprintf("%d %d\n", info.Size(), info.ModTime().UnixNano())
}
