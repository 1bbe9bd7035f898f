//go:build !unix

package openfile

// openAtOnce is 0 on systems without named pipes in directories.
const openAtOnce = 0
