package sandbox

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// reapLimit bounds the attempts to kill processes that fork as fast as they are killed.
const reapLimit = 5 * time.Second

// reapPause is the time between two checks for processes that are about to end.
const reapPause = 5 * time.Millisecond

// signalAll sends a first signal to all descendants, and SIGKILL to those that have
// not ended within the grace period. It returns early when done is closed.
func signalAll(first unix.Signal, done <-chan struct{}) {
	signalDescendants(first)
	wait := grace
	if first == unix.SIGKILL {
		wait = reapPause
	}
	select {
	case <-done:
		return
	case <-time.After(wait):
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

// endDescendants ends the processes that the command left. They are children of this process
// now. It returns the number of processes that survive.
func endDescendants() int {
	for range 10 { // most commands leave nothing, and bubblewrap leaves processes that are about to end
		if !anyChild() {
			return 0
		}
		time.Sleep(reapPause / 20)
	}
	signalDescendants(unix.SIGTERM)
	for began := time.Now(); anyChild(); time.Sleep(reapPause) {
		since := time.Since(began)
		if since > grace+reapLimit {
			return len(descendants(os.Getpid()))
		}
		if since > grace {
			signalDescendants(unix.SIGKILL)
		}
	}
	return 0
}

// anyChild reaps ended children and reports whether any are left.
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

// signalDescendants stops all descendants before it sends the signal: a stopped process cannot
// fork, so no process is missed.
func signalDescendants(sig unix.Signal) {
	seen := map[int]bool{}
	for rounds := 0; rounds < 10; rounds++ {
		found := false
		for pid, parent := range descendants(os.Getpid()) {
			if !seen[pid] {
				seen[pid], found = true, true
				send(pid, parent, unix.SIGSTOP)
			}
		}
		if !found {
			break
		}
	}
	for pid, parent := range descendants(os.Getpid()) {
		send(pid, parent, sig)
		send(pid, parent, unix.SIGCONT)
	}
}

// send signals a process if it is still the child of the same parent. The
// number may have been reused since it was read.
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

// descendants maps each process below top to its parent.
func descendants(top int) map[int]int {
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
	queue := []int{top}
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

// parentOf reads the parent's id of a process.
func parentOf(pid int) (int, bool) {
	fields := statOf(pid)
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}

// statOf returns the fields of /proc/<pid>/stat that follow the name: the state, the
// parent's id and so on; nil if the process is gone. The name is in parentheses and may
// contain anything.
func statOf(pid int) [][]byte {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return nil
	}
	return bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
}
