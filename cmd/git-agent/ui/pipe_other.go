//go:build !unix

package ui

import "os"

// ReaderGone returns false: on this system, only a write detects a closed pipe.
func ReaderGone(*os.File) bool { return false }
