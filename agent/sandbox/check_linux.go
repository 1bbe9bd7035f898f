package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// check is the part of the self-test that runs inside the sandbox. It makes forbidden attempts,
// which change nothing if they succeed: it opens a file without writing, and sends signal 0.
func check(args []string) {
	var bait escapeTargets
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &bait) != nil {
		syscall.Exit(exitHelper)
	}
	var v checkResult
	for _, c := range checks {
		if c.only != "" && c.only != bait.Level {
			continue
		}
		v.Tried++
		if what := c.reached(bait); what != "" {
			v.Broken = append(v.Broken, finding{what, c.tolerable})
		}
	}
	json.NewEncoder(os.Stdout).Encode(v)
	syscall.Exit(0)
}

// checks lists the attempts. Each returns the name of a thing that it reached, "" for nothing.
var checks = []struct {
	reached   func(escapeTargets) string
	tolerable bool  // success is reported as a limit and does not disqualify the level
	only      Level // "" for all
}{
	{reached: capabilities},
	{reached: status("NoNewPrivs", "1", "programs that raise privileges")},
	{reached: status("Seccomp", "2", "every system call")},
	{reached: func(escapeTargets) string {
		return opens(os.O_WRONLY, "/proc/sys/kernel/core_pattern", "/proc/sys/fs/lease-break-time")
	}},
	{reached: func(escapeTargets) string { return opens(os.O_WRONLY, "/proc/sysrq-trigger") }},
	{reached: func(escapeTargets) string { return opens(os.O_RDONLY, "/proc/kcore", "/proc/kmsg") }},
	{reached: func(escapeTargets) string {
		return opens(os.O_WRONLY, "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/cgroup.procs")
	}},
	{reached: func(b escapeTargets) string { return opens(os.O_RDONLY, b.Secret) }},
	{reached: func(b escapeTargets) string { return opens(os.O_WRONLY, b.Secret) }},
	{reached: func(b escapeTargets) string {
		return opens(os.O_WRONLY|os.O_CREATE|os.O_EXCL, filepath.Join(b.Outside, "new"))
	}},
	{reached: func(b escapeTargets) string { return opens(os.O_RDONLY, b.Hidden...) }},
	{reached: modes, tolerable: true},
	{reached: func(b escapeTargets) string { return dials("unix", b.Socket, "sockets with names") }},
	{reached: func(b escapeTargets) string { return dials("unix", b.Abstract, "abstract sockets") }},
	{reached: func(b escapeTargets) string { return dials("tcp", b.TCP, "TCP") }},
	{reached: func(b escapeTargets) string { return dials("udp", "192.0.2.1:53", "UDP") }},
	{reached: families},
	{reached: func(escapeTargets) string { return tries(unshares(), "new user namespaces") }},
	{reached: mounts},
	{reached: keyring},
	{reached: ofProcess},
	{reached: priorities, only: Landlock},
	{reached: signals, tolerable: true, only: Landlock},
	{reached: others, only: Bwrap},
}

// capabilities checks that all capabilities are gone. The bounding set is
// checked only for root, because a user without capabilities cannot draw on it.
func capabilities(b escapeTargets) string {
	sets := []string{"CapInh", "CapPrm", "CapEff", "CapAmb"}
	if b.Root || b.Level == Bwrap {
		sets = append(sets, "CapBnd")
	}
	for _, set := range sets {
		if value := statusOf(set); strings.Trim(value, "0") != "" || value == "" {
			return "capabilities (" + set + " " + value + ")"
		}
	}
	return ""
}

// statusOf reads a field of /proc/self/status.
func statusOf(field string) string {
	text, _ := os.ReadFile("/proc/self/status") // absent is ""
	for line := range bytes.Lines(text) {
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && string(name) == field {
			return string(bytes.TrimSpace(value))
		}
	}
	return ""
}

func status(field, want, what string) func(escapeTargets) string {
	return func(escapeTargets) string {
		if statusOf(field) != want {
			return what
		}
		return ""
	}
}

func tries(err error, what string) string {
	if err == nil {
		return what
	}
	return ""
}

// opens returns the first path that can be opened. A directory without files
// does not count: bubblewrap creates such directories on the way to a mount.
func opens(flag int, paths ...string) string {
	for _, path := range paths {
		f, err := os.OpenFile(path, flag|unix.O_NONBLOCK, 0o600)
		if err != nil {
			continue
		}
		names, err := f.Readdirnames(-1)
		f.Close()
		if err == nil && !slices.ContainsFunc(names, func(name string) bool { return showsFile(filepath.Join(path, name)) }) {
			continue
		}
		return path
	}
	return ""
}

// showsFile reports whether an entry of a directory is more than a way to a
// mount.
func showsFile(path string) bool {
	st, err := os.Lstat(path)
	return err == nil && !st.IsDir()
}

// modes checks whether the mode of a file outside can be changed.
func modes(b escapeTargets) string {
	return tries(os.Chmod(b.Secret, 0o600), "modes, owners and times of your files elsewhere")
}

func dials(network, address, what string) string {
	if address == "" {
		return ""
	}
	c, err := net.Dial(network, address)
	if err != nil {
		return ""
	}
	c.Close()
	return what
}

// families tries kinds of sockets that belong to no network namespace or that
// see packets.
func families(escapeTargets) string {
	for _, family := range []int{unix.AF_VSOCK, unix.AF_PACKET, unix.AF_ALG, unix.AF_TIPC, unix.AF_BLUETOOTH, unix.AF_XDP} {
		fd, err := unix.Socket(family, unix.SOCK_DGRAM, 0)
		if err == nil {
			unix.Close(fd)
			return "sockets of family " + strconv.Itoa(family)
		}
	}
	return ""
}

// unshares starts a program in a new user namespace. It needs a new process,
// because a process with threads cannot enter one.
func unshares() error {
	cmd := exec.Command("sh", "-c", ":")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}

// mounts tries to mount a file system that does not exist: the error shows
// whether mounting is permitted.
func mounts(escapeTargets) string {
	if err := unix.Mount("none", ".", "git-agent", 0, ""); err != unix.EPERM && err != unix.EACCES {
		return "mounts"
	}
	return ""
}

func keyring(escapeTargets) string {
	_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
	return tries(err, "keyrings")
}

// ofProcess looks for access to a process outside.
func ofProcess(b escapeTargets) string {
	if b.Level == Bwrap {
		return "" // in another namespace the number means another process, or none
	}
	dir := fmt.Sprintf("/proc/%d/", b.Parent)
	if what := opens(os.O_RDONLY, dir+"environ", dir+"mem", dir+"maps"); what != "" {
		return what
	}
	for _, link := range []string{"root", "cwd", "exe"} {
		if _, err := os.Readlink(dir + link); err == nil {
			return dir + link
		}
	}
	return tries(unix.PtraceSeize(b.Parent), "other processes' memory")
}

func signals(b escapeTargets) string {
	return tries(unix.Kill(b.Parent, 0), "signals to your other processes")
}

// priorities tries to set the priority of a process outside to its present value.
func priorities(b escapeTargets) string {
	now, err := unix.Getpriority(unix.PRIO_PROCESS, b.Parent)
	if err != nil {
		return ""
	}
	return tries(
		unix.Setpriority(unix.PRIO_PROCESS, b.Parent, 20-now),
		"priorities of other processes",
	) // the system call returns 20 less the priority
}

// others counts visible processes: in a PID namespace there are few.
func others(escapeTargets) string {
	const few = 10
	found, _ := filepath.Glob("/proc/[0-9]*")
	if len(found) > few {
		return "other processes"
	}
	return ""
}
