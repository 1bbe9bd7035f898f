//go:build !linux

package gittest

// UseMemory changes nothing on this system.
func UseMemory() {}
