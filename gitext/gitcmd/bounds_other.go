//go:build !linux

package gitcmd

func machineMemory() int64 { return 0 }
