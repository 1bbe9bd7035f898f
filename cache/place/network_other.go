//go:build !linux && !darwin

package place

// networkFS cannot tell on this system.
func networkFS(string) (string, bool) { return "", false }
