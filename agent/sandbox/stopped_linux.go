package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// stoppedPause is the time between two checks for a stopped process. A check reads some small
// files.
const stoppedPause = 300 * time.Millisecond

// continueStopped watches the command's first process, which is depth generations below cmd,
// and the processes between the two. If one of these is stopped, it continues all processes
// below cmd. Otherwise the command would wait until its time limit. If only other processes are
// stopped, they stay so: a test may stop and continue its own processes. The result ends the
// watch.
func continueStopped(cmd *exec.Cmd, depth int) (end func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(stoppedPause)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			if !anyStopped(cmd.Process.Pid, depth) {
				continue
			}
			for pid, parent := range descendants(cmd.Process.Pid) {
				send(pid, parent, unix.SIGCONT)
			}
			cmd.Process.Signal(unix.SIGCONT)
		}
	}()
	return func() { close(done) }
}

// anyStopped reports whether a signal stopped a process, its first child, the first child of
// this child, and so on for depth generations.
func anyStopped(pid, depth int) bool {
	for ; depth >= 0; depth-- {
		if fields := statOf(pid); len(fields) == 0 || string(fields[0]) == "T" {
			return len(fields) > 0
		}
		if pid = firstChild(pid); pid == 0 {
			return false
		}
	}
	return false
}

// firstChild returns the first child of a process's first thread with children; 0 if it has none. A program
// in Go starts others from any of its threads.
func firstChild(pid int) int {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	threads, _ := os.ReadDir(tasks)
	for _, t := range threads {
		children, _ := os.ReadFile(filepath.Join(tasks, t.Name(), "children"))
		first, _, _ := bytes.Cut(children, []byte(" "))
		if child, err := strconv.Atoi(string(first)); err == nil {
			return child
		}
	}
	return 0
}
