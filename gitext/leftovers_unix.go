//go:build unix

package gitext

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// makeIn is called before something is made under a temporary name in dir, and
// what it returns after. It removes what processes left there that were killed
// in between. Everyone who makes something holds a lock on dir together with
// the others; who gets it alone knows that nobody else is at work. Where there
// are no locks, leftovers stay.
func makeIn(dir string) (done func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {} // who makes something there will say so
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		removeLeftovers(dir)
	}
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH) // waits for one who removes
	return func() { f.Close() }
}

func removeLeftovers(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read is not removed
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporaryPrefix) {
			os.RemoveAll(filepath.Join(dir, e.Name())) // one that stays costs room, and the next process tries again
		}
	}
}
