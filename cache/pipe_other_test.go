//go:build !unix

package cache

import "os"

func makePipe(path string) error { return os.Mkdir(path, 0o700) }
