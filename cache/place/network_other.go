//go:build !linux && !darwin

package place

// networkFS always returns false: this system does not say.
func networkFS(string) (string, bool) { return "", false }
