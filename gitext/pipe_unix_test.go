//go:build unix

package gitext

import "golang.org/x/sys/unix"

func makePipe(name string) error { return unix.Mkfifo(name, 0o600) }
