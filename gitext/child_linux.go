package gitext

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// startChild starts a process that the kernel ends when this program ends, even
// if this program is killed: otherwise a search of a long history would go on
// for minutes for nobody. A git that writes gets SIGTERM, on which it removes
// its lock files; one that only reads gets SIGKILL, which no wrapper around git
// can ignore. The kernel does not end what that process starts itself.
func startChild(cmd *exec.Cmd, writes bool) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if writes {
		cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	done := make(chan error)
	starter() <- func() { done <- cmd.Start() }
	return <-done
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
