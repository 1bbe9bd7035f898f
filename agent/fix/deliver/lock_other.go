//go:build !unix

package deliver

import "os"

// tryLock does nothing: on this system, two processes may write at the same time.
func tryLock(*os.File) error { return nil }
