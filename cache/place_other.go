//go:build !linux && !darwin

package cache

// networkFS cannot tell on this system.
func networkFS(string) (string, bool) { return "", false }
