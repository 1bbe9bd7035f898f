package gitcmd

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the private memory, in bytes, of a process that has just
// started, and of its children. It sets RLIMIT_DATA, which counts memory from
// malloc but not mapped packs, which may have gigabytes. Earlier allocations
// stay. An error means that the system forbids the call (a system call filter);
// then there is no bound.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// machineMemory returns the memory for this process in bytes: the machine's or,
// if smaller, the container's. 0 means unknown.
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
