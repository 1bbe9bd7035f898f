package gitext

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// startMortal starts a process that the kernel ends when this program ends,
// also when it is killed and can end nothing any more: a search through a long
// history would go on for minutes for nobody. A git that writes gets SIGTERM,
// at which it takes its lock files away; one that only reads gets SIGKILL,
// which no wrapper around git can ignore. What the process starts itself is
// not reached.
func startMortal(cmd *exec.Cmd, writes bool) error {
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

// starter runs functions on a thread that lives as long as the program: the
// kernel takes the end of the thread that started a process for that of its
// parent (prctl(2), PR_SET_PDEATHSIG).
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
