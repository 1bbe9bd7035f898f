//go:build !linux

package gitcmd

import "os/exec"

// StartChild starts a process. Only Linux can end the process when this program
// is killed; elsewhere git ends at its next write to this program.
func StartChild(cmd *exec.Cmd) error { return cmd.Start() }

// startBounded starts the command from build without a bound: only Linux has a
// limit on allocations that another process can set. macOS accepts RLIMIT_DATA
// and RLIMIT_AS but does not enforce them.
func startBounded(build func() *exec.Cmd, _ bool, _ int64) (*exec.Cmd, error) {
	cmd := build()
	return cmd, cmd.Start()
}
