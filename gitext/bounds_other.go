//go:build !linux

package gitext

func machineMemory() int64 { return 0 }
