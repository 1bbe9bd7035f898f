//go:build unix

package ui

import (
	"os"

	"golang.org/x/sys/unix"
)

// ReaderGone reports whether the other end of a pipe or a socket is closed. It
// writes nothing.
func ReaderGone(f *os.File) bool {
	poll := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0
}
