package store

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// niceness is what git gives to nothing and users give to work that can wait.
const niceness = 10

// lowerPriority lets other programs go first. Each thread has a priority of its own,
// which its children get. If the system does not allow it, the build is no less right.
func lowerPriority() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
		}
	}
}
