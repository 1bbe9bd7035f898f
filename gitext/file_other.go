//go:build !unix

package gitext

// openAtOnce is 0 on systems without named pipes in directories.
const openAtOnce = 0
