package sandbox

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Harden keeps other processes of the user, including the commands that we run,
// from reading this process's memory and /proc/<pid>/environ, where a key stays
// readable even after os.Unsetenv. A program calls it once at start, before it
// reads a key. It does not stop root with all capabilities.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process undumpable: %w", err)
	}
	return nil
}

// dieWithParent makes the kernel kill the command when we are killed. Processes
// that the command started are reached only at level Bwrap.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
