//go:build !linux

package gitext

import "os/exec"

// startChild starts a process. Only Linux can end it when this program is
// killed; elsewhere git ends when it next writes to us.
func startChild(cmd *exec.Cmd, _ bool) error { return cmd.Start() }
