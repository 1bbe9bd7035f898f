package sandbox

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// Harden keeps other processes of the user, commands that we run among them,
// from reading this one's memory and /proc/<pid>/environ, where a key stays
// readable even after os.Unsetenv. A command calls it once, at start, before
// it reads a key. Root with all capabilities passes it by.
func Harden() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("make the process undumpable: %w", err)
	}
	return nil
}

// dieWithParent has the kernel kill the command when we are killed. What the
// command started itself is reached only at level Bwrap.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
