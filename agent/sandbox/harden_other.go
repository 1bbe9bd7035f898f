//go:build !linux

package sandbox

// Harden does nothing where the kernel has no such switch: macOS shows another
// process's environment to its own user until the process has become
// protected, which a plain binary cannot ask for.
func Harden() error { return nil }
