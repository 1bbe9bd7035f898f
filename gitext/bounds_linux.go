package gitext

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the private memory of a process that has just been
// started, and of all that it starts. The bound is on RLIMIT_DATA: that counts
// what malloc gives out and leaves out the packs, which git maps by gigabytes.
// Go cannot set it before the program runs, so the first microseconds go
// without; what git has allocated by then counts. An error means that the
// system does not allow it (a filter of system calls): then nothing holds.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// machineMemory is how much memory there is for this process: the machine's or,
// where that is less, its container's. 0 is for unknown.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	total := int64(uint64(info.Totalram) * uint64(info.Unit))
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			total = min(total, n)
		}
	}
	return total
}
