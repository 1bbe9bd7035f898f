package sandbox

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Harden keeps other processes of the user, including the commands of this package, from
// reading this process's memory and /proc/<pid>/environ. A key stays readable there even after
// os.Unsetenv. A program calls it once at start, before it reads a key. Root with all
// capabilities can still read both.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process undumpable: %w", err)
	}
	return nil
}

// dieWithParent makes the kernel kill the command when this process is killed. Processes that
// the command started are killed only at level Bwrap.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
