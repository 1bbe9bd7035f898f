//go:build !linux

package gitext

// limitMemory does nothing: no other system has a limit that counts what a
// process allocates and can be set from outside. macOS accepts RLIMIT_DATA and
// RLIMIT_AS but does not enforce them.
func limitMemory(int, int64) error { return nil }

func machineMemory() int64 { return 0 }
