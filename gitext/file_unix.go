//go:build unix

package gitext

import "syscall"

// openAtOnce makes an open return where a pipe has no writer.
const openAtOnce = syscall.O_NONBLOCK
