//go:build !linux

package sandbox

// Harden does nothing on a kernel without such a switch. macOS shows a
// process's environment to its user unless the process is protected, which a
// plain binary cannot request.
func Harden() error { return nil }
