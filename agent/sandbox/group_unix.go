//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// ownGroup makes cmd the leader of a process group that is signalled as one.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		signalGroup(cmd, terminate)
		return nil
	}
}

// signalGroup reports whether the group had a member to signal. The group's
// number cannot belong to another one while a member lives; when none is left
// and the leader is reaped, a new process would have to take this very number
// in the microseconds since.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) bool {
	return syscall.Kill(-cmd.Process.Pid, sig) == nil
}

// ownMark is how far above our own mark of memory a command's has to be to be its own:
// the kernel counts resident pages per thread or processor and in batches.
const ownMark = 16 << 20

// peakOf is the most memory that one process of the ended tree had in use, in
// bytes; 0 when nobody knows.
func peakOf(st *os.ProcessState) int64 {
	usage, ok := st.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return peakAbove(int64(usage.Maxrss))
}

// peakAbove turns the kernel's mark into bytes. On Linux a process keeps the mark
// of the one that forked it (getrusage(2)), so that a mark no higher than ours may
// be ours, and nobody knows.
func peakAbove(mark int64) int64 {
	var own syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &own) != nil {
		return 0
	}
	unit := int64(1 << 10)
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	if mark*unit <= int64(own.Maxrss)*unit+ownMark {
		return 0
	}
	return mark * unit
}

func exitOf(st *os.ProcessState) (int, os.Signal) {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal()), ws.Signal()
	}
	return st.ExitCode(), nil
}
