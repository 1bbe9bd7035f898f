//go:build unix

package cache

import "golang.org/x/sys/unix"

// nonblock makes opening a pipe return at once.
const nonblock = unix.O_NONBLOCK
