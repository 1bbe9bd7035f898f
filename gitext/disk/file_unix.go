//go:build unix

package disk

import "syscall"

// openAtOnce makes an open of a pipe return even if the pipe has no writer.
const openAtOnce = syscall.O_NONBLOCK
