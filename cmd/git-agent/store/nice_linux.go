package store

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// niceness is the usual value for background work.
const niceness = 10

// lowerPriority lets other programs go first. Each thread has its own priority, inherited by its
// children. A failure does not affect the result.
func lowerPriority() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
		}
	}
}
