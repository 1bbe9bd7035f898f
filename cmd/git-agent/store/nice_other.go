//go:build !linux

package store

// lowerPriority does nothing on this system.
func lowerPriority() {}
