//go:build !unix

package gitext

import "os"

func mkfifo(name string) error { return os.Mkdir(name, 0o700) }
