//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// readerGone reports whether the other end of a pipe or a socket is closed. It
// writes nothing.
func readerGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
