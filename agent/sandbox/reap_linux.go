package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// reapLimit bounds how long processes are hunted that fork as fast as they are
// killed.
const reapLimit = 5 * time.Second

// reapPause is between two looks at processes that are about to end.
const reapPause = 5 * time.Millisecond

// signalAll asks everything below this process to end, and kills what has not
// within the grace. It returns early when done is closed.
func signalAll(done <-chan struct{}) {
	signalDescendants(unix.SIGTERM)
	select {
	case <-done:
		return
	case <-time.After(grace):
	}
	for {
		signalDescendants(unix.SIGKILL)
		select {
		case <-done:
			return
		case <-time.After(reapPause):
		}
	}
}

// endDescendants ends what the command left, which is ours since its parents
// died, and returns how many processes it could not end.
func endDescendants() int {
	if !anyChild() {
		return 0 // which is how most commands end
	}
	signalDescendants(unix.SIGTERM)
	for began := time.Now(); anyChild(); time.Sleep(reapPause) {
		since := time.Since(began)
		if since > grace+reapLimit {
			return len(descendants())
		}
		if since > grace {
			signalDescendants(unix.SIGKILL)
		}
	}
	return 0
}

// anyChild reaps what has ended and tells whether anything is left.
func anyChild() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false // ECHILD
		case pid == 0:
			return true
		}
	}
}

// signalDescendants stops all of them before it sends the signal, so that none
// can have a child that is not seen: a process that is stopped does not fork.
func signalDescendants(sig unix.Signal) {
	seen := map[int]bool{}
	for rounds := 0; rounds < 10; rounds++ {
		found := false
		for pid, parent := range descendants() {
			if !seen[pid] {
				seen[pid], found = true, true
				send(pid, parent, unix.SIGSTOP)
			}
		}
		if !found {
			break
		}
	}
	for pid, parent := range descendants() {
		send(pid, parent, sig)
		send(pid, parent, unix.SIGCONT)
	}
}

// send signals a process if it still is the child of who it was. A number may
// have gone to a stranger since it was read.
func send(pid, parent int, sig unix.Signal) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	if now, ok := parentOf(pid); ok && (now == parent || now == os.Getpid()) {
		unix.PidfdSendSignal(fd, sig, nil, 0)
	}
}

// descendants maps each process below this one to its parent.
func descendants() map[int]int {
	children := map[int][]int{}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if parent, ok := parentOf(pid); ok {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	below := map[int]int{}
	queue := []int{os.Getpid()}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, pid := range children[parent] {
			if _, ok := below[pid]; !ok {
				below[pid] = parent
				queue = append(queue, pid)
			}
		}
	}
	return below
}

// parentOf reads the fourth field of /proc/<pid>/stat. The second, the name,
// is in parentheses and may hold anything.
func parentOf(pid int) (int, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
