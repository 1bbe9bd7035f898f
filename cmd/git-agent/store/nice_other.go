//go:build !linux

package indexcmd

// lowerPriority does nothing on this system.
func lowerPriority() {}
