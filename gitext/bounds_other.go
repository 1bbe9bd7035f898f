//go:build !linux

package gitext

// limitMemory does nothing: no other system has a bound that counts what a
// process allocates and can be set from outside. macOS takes RLIMIT_DATA and
// RLIMIT_AS and does not hold them.
func limitMemory(int, int64) error { return nil }

func machineMemory() int64 { return 0 }
