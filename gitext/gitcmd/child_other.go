//go:build !linux

package gitcmd

import "os/exec"

// StartChild starts a process. Only Linux can end it when this program is
// killed; elsewhere git ends when it next writes to us.
func StartChild(cmd *exec.Cmd, _ bool) error { return cmd.Start() }

// startBounded starts the command that build makes, without a bound: no other
// system has a limit that counts what a process allocates and can be set from
// outside. macOS accepts RLIMIT_DATA and RLIMIT_AS but does not enforce them.
func startBounded(build func() *exec.Cmd, _ bool, _ int64) (*exec.Cmd, error) {
	cmd := build()
	return cmd, cmd.Start()
}
