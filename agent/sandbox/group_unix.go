//go:build unix

package sandbox

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

const (
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// ownGroup makes cmd the leader of a process group, which is signalled as a
// whole when ctx ends.
func ownGroup(ctx context.Context, cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	cmd.Cancel = func() error {
		if fullOf(ctx) != "" {
			signalGroup(cmd, kill)
		}
		signalGroup(cmd, terminate)
		return nil
	}
}

// signalGroup signals the group and reports whether it had a member. While a member lives, the
// group's number cannot be reused. After the last member ended and the leader was reaped, a new
// process would have to take the same number within microseconds.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) bool {
	return syscall.Kill(-cmd.Process.Pid, sig) == nil
}

// ownMark is the least difference, in bytes, between a command's peak and this process's peak;
// with less, the command's own peak is unknown: the kernel counts resident pages per thread or
// processor and in batches.
const ownMark = 16 << 20

// peakOf returns the peak memory of the largest process of an ended tree, in
// bytes, or 0 if unknown.
func peakOf(st *os.ProcessState) int64 {
	usage, ok := st.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return peakAbove(int64(usage.Maxrss))
}

// peakAbove converts the kernel's peak to bytes. On Linux a process inherits the peak of the
// process that forked it (getrusage(2)), so a peak no higher than this process's may be
// inherited; then the result is 0, unknown.
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

func exitOf(st *os.ProcessState) int {
	if ws, ok := st.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return st.ExitCode()
}
