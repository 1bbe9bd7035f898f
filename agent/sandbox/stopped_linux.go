package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// stoppedPause is the time between two looks at whether a process was stopped. A look reads
// two or three small files.
const stoppedPause = 300 * time.Millisecond

// continueStopped continues a command that stopped its own first process, or one of those
// of ours above it: nobody else would, and the command would end at its time limit. Below
// cmd, depth processes lead to the first one of the command. Other processes that are
// stopped stay so unless one of these is: a test may stop and continue what it starts. The
// result ends the watch.
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

// anyStopped reports whether a signal stopped a process or one of those that lead from it
// to the first process of the command.
func anyStopped(pid, depth int) bool {
	for ; depth >= 0; depth-- {
		if fields := statOf(pid); len(fields) == 0 || string(fields[0]) == "T" {
			return len(fields) > 0
		}
		number := strconv.Itoa(pid)
		children, _ := os.ReadFile("/proc/" + number + "/task/" + number + "/children")
		first, _, _ := bytes.Cut(children, []byte(" "))
		var err error
		if pid, err = strconv.Atoi(string(first)); err != nil {
			return false
		}
	}
	return false
}
