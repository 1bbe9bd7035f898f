//go:build !unix

package disk

// openAtOnce is 0 on systems without named pipes in directories.
const openAtOnce = 0
