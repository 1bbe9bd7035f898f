package gitcmd

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// StartChild starts a process that the kernel ends when this program ends, even
// if this program is killed; otherwise a useless search of a long history would
// continue for minutes. The process gets SIGTERM, so that a git that writes removes its lock
// files. The kernel does not end the children of that process.
func StartChild(cmd *exec.Cmd) error { return startThen(cmd, true, nil) }

// startThen starts a process as StartChild does, and calls then with its id on
// the same thread. A git that only reads gets SIGKILL, which no wrapper around git can
// ignore.
func startThen(cmd *exec.Cmd, writes bool, then func(pid int)) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if writes {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	done := make(chan error)
	starter() <- func() {
		err := cmd.Start()
		if err == nil && then != nil {
			then(cmd.Process.Pid)
		}
		done <- err
	}
	return <-done
}

// untraceable is true if the system does not allow tracing a child, for example
// because this program is traced itself.
var untraceable atomic.Bool

// startBounded starts the command from build as StartChild does, with a bound on
// its memory in bytes. Go cannot set a limit between fork and exec. So the child
// is traced until it has loaded its program, gets the limit before its first
// instruction, and is detached. Without tracing, the limit comes a moment after
// the start, and the child's earlier allocations stay.
func startBounded(build func() *exec.Cmd, writes bool, bytes int64) (*exec.Cmd, error) {
	limit := func(pid int) { _ = limitMemory(pid, bytes) } // without permission, there is no bound
	if !untraceable.Load() {
		cmd := build()
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}
		cmd.SysProcAttr.Ptrace = true
		err := startThen(cmd, writes, func(pid int) {
			awaitStop(pid)
			limit(pid)
			_ = unix.PtraceDetach(pid) // a dead process needs no detach
		})
		if !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ENOSYS) {
			return cmd, err
		}
		untraceable.Store(true)
	}
	cmd := build()
	return cmd, startThen(cmd, writes, limit)
}

// awaitStop waits until a traced child has stopped or ended, and leaves its
// status for other readers.
func awaitStop(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// starter runs functions on a thread that lives as long as this program. The
// kernel sends the signal already when the thread that started the process ends,
// not only when the whole parent ends (prctl(2), PR_SET_PDEATHSIG).
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range work {
			start()
		}
	}()
	return work
})
