//go:build unix && !linux

package sandbox

import "syscall"

// dieWithParent does nothing: without PR_SET_PDEATHSIG a command outlives a killed parent.
func dieWithParent(*syscall.SysProcAttr) {}
