//go:build !unix

package ui

import "os"

// ReaderGone returns false: on this system only a write shows that a pipe is
// closed.
func ReaderGone(*os.File) bool { return false }
