//go:build unix

package gitdir

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// makeIn locks dir while the caller makes a file there under a temporary name;
// the caller runs done afterwards. makeIn also removes leftovers of killed
// processes. Every maker holds a shared lock on dir, so a process with the
// exclusive lock knows that it is the only one. On file systems without locks,
// leftovers stay.
func makeIn(dir string) (done func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {} // the caller will report the error of dir
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		removeLeftovers(dir)
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH) // waits while another process removes leftovers
	return func() { f.Close() }
}

func removeLeftovers(dir string) {
	entries, _ := os.ReadDir(dir) // if dir cannot be read, nothing is removed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporaryPrefix) {
			os.RemoveAll(filepath.Join(dir, e.Name())) // a failure only wastes space until the next process tries
		}
	}
}
