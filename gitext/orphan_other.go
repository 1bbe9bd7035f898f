//go:build !linux

package gitext

import "os/exec"

// startMortal starts a process. Only Linux can end it when this program is
// killed; elsewhere a git ends when it next writes to us.
func startMortal(cmd *exec.Cmd, _ bool) error { return cmd.Start() }
