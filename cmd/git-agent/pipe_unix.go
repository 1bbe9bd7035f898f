//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone tells, without a write, that nobody can read a pipe or a socket
// any more.
func readerGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
