//go:build !linux && !darwin

package place

// networkFS always returns false, because this system does not tell.
func networkFS(string) (string, bool) { return "", false }
