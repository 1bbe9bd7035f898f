//go:build !unix

package cache

// nonblock is 0 on systems without named pipes in directories.
const nonblock = 0
