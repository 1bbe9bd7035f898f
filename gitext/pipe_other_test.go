//go:build !unix

package gitext

import "os"

func makePipe(name string) error { return os.Mkdir(name, 0o700) }
