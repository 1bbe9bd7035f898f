//go:build unix

package deliver

import (
	"os"
	"syscall"
)

// tryLock locks a file until it is closed. The kernel ends the lock of a killed process.
func tryLock(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
