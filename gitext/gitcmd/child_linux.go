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
// if this program is killed: otherwise a search of a long history would go on
// for minutes for nobody. A git that writes gets SIGTERM, on which it removes
// its lock files; one that only reads gets SIGKILL, which no wrapper around git
// can ignore. The kernel does not end what that process starts itself.
func StartChild(cmd *exec.Cmd, writes bool) error { return startThen(cmd, writes, nil) }

// startThen calls then with the process's id on the thread that started it.
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

// untraceable is true when the system does not let a child be traced, as when
// this program is traced itself.
var untraceable atomic.Bool

// startBounded starts the command that build makes as startChild does, with a
// bound on its memory in bytes. Go cannot set a limit between fork and exec, so
// the child is traced until it has loaded its program, gets the limit before
// its first instruction, and is let go. Where nothing can be traced the limit
// comes a moment after the start, and what the child has allocated by then
// stays.
func startBounded(build func() *exec.Cmd, writes bool, bytes int64) (*exec.Cmd, error) {
	limit := func(pid int) { _ = limitMemory(pid, bytes) } // a system that does not allow it has no bound
	if !untraceable.Load() {
		cmd := build()
		if cmd.SysProcAttr == nil {
			cmd.SysProcAttr = &syscall.SysProcAttr{}
		}
		cmd.SysProcAttr.Ptrace = true
		err := startThen(cmd, writes, func(pid int) {
			awaitStop(pid)
			limit(pid)
			_ = unix.PtraceDetach(pid) // one that is dead needs none
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
// status for others to read.
func awaitStop(pid int) {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// starter runs functions on a thread that lives as long as this program. The
// kernel sends the signal when the thread that started the process ends, not
// only when the whole parent does (prctl(2), PR_SET_PDEATHSIG).
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
