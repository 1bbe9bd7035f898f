package gitcmd

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// limitMemory bounds the private memory of a process that has just been
// started, and of all that it starts. It sets RLIMIT_DATA, which counts what
// malloc hands out but not the packs, of which git maps gigabytes. What the
// process has allocated before stays. An error means that the system forbids
// the call (a system call filter); then there is no bound.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	return unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil)
}

// machineMemory returns how much memory this process may use: the machine's or,
// if that is less, its container's. 0 means unknown.
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
