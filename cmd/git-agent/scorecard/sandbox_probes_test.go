//go:build linux

package scorecard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The test binary itself probes the sandbox. It runs as the command of --verify-cmd,
// tries each way out and reports which were open.

// probeMark is the first argument of the test binary when it runs as a probe.
const probeMark = "sandbox-probes"

// init starts the probes, because TestMain belongs to all areas and would build the
// program first.
func init() {
	if len(os.Args) == 3 && os.Args[1] == probeMark {
		runProbes(os.Args[2])
		os.Exit(0)
	}
}

// A surrounding describes what exists outside of the sandbox.
type surrounding struct {
	Level    string
	Home     string   // home directory with secrets
	Repo     string   // repository in which the command runs
	Outside  string   // another directory of the user
	Victim   int      // pid of another process of the user
	Sockets  []string // paths of stream sockets
	Datagram string   // path of a datagram socket
	Abstract string
	TCP, UDP string
	Shm      int // id of a System V shared memory segment
	Canary   string
	Secrets  []string // files that contain the canary, relative to Home
}

// A probe tries one way out. try returns what it reached, or "".
type probe struct {
	name   string
	none   bool   // level none promises this too
	except string // a level that does not promise it
	try    func(surrounding) string
}

// A probed is the report of a probe.
type probed struct{ Name, Reached string }

// runProbes runs the probes and prints one line for each.
func runProbes(config string) {
	var s surrounding
	text, err := os.ReadFile(config)
	if err != nil || json.Unmarshal(text, &s) != nil {
		fmt.Fprintln(os.Stderr, "no surrounding:", err)
		os.Exit(2)
	}
	out := json.NewEncoder(os.Stdout)
	for _, p := range allProbes(s) {
		if s.Level == "none" && !p.none || p.except == s.Level {
			continue
		}
		out.Encode(probed{p.name, p.try(s)})
	}
}

func allProbes(s surrounding) []probe {
	var list []probe
	for _, rel := range s.Secrets {
		list = append(list, probe{name: "read " + rel, try: func(s surrounding) string { return contains(filepath.Join(s.Home, rel), s.Canary) }})
	}
	for _, path := range []string{"/etc/shadow", "/etc/sudoers", "/etc/ssh", "/root", "/var/log", "/var/lib", "/boot", "/lost+found", "/proc/kcore", "/proc/kmsg", "/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/tty"} {
		list = append(list, probe{name: "open " + path, try: func(surrounding) string { return opened(path, os.O_RDONLY) }})
	}
	for _, path := range []string{"/proc/sys/kernel/core_pattern", "/proc/sys/fs/lease-break-time", "/proc/sys/vm/drop_caches", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger", "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs", "/proc/irq/default_smp_affinity", "/etc/passwd", "/etc/ld.so.cache", "/usr/bin/env"} {
		list = append(list, probe{name: "write " + path, try: func(surrounding) string { return opened(path, os.O_WRONLY) }})
	}
	return append(append(append(append(list, writeProbes...), processProbes...), kernelProbes...), networkProbes...)
}

func contains(path, canary string) string {
	text, err := os.ReadFile(path)
	if err == nil && strings.Contains(string(text), canary) {
		return "it is " + strings.TrimSpace(string(text))
	}
	return ""
}

// opened tries to open a file and writes nothing. A directory counts if it contains a
// file.
func opened(path string, flag int) string {
	f, err := os.OpenFile(path, flag|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if err == nil {
		for _, e := range entries {
			if !e.IsDir() {
				return "it has " + e.Name()
			}
		}
		return ""
	}
	return "it can be opened"
}

// made returns "" for an error, which is expected, and otherwise what was reached.
func made(what string, err error) string {
	if err == nil {
		return what
	}
	return ""
}

// writeProbes try to change files outside. The test also checks the files afterwards.
var writeProbes = []probe{
	{name: "list home", try: func(s surrounding) string {
		entries, _ := os.ReadDir(s.Home)
		for _, e := range entries {
			if strings.Contains(e.Name(), "credentials") || e.Name() == ".ssh" || e.Name() == ".netrc" {
				return e.Name()
			}
		}
		return ""
	}},
	{name: "create outside", try: func(s surrounding) string {
		return made("created", os.WriteFile(filepath.Join(s.Outside, "new"), nil, 0o600))
	}},
	{name: "overwrite outside", try: func(s surrounding) string { return opened(filepath.Join(s.Outside, "canary"), os.O_WRONLY) }},
	{name: "truncate outside", try: func(s surrounding) string {
		return made("truncated", os.Truncate(filepath.Join(s.Outside, "canary"), 0))
	}},
	{name: "unlink outside", try: func(s surrounding) string { return made("removed", os.Remove(filepath.Join(s.Outside, "canary"))) }},
	{name: "rename outside", try: func(s surrounding) string {
		return made("renamed", os.Rename(filepath.Join(s.Outside, "canary"), filepath.Join(s.Outside, "moved")))
	}},
	{name: "hard link to outside", try: func(s surrounding) string {
		return made("linked", os.Link(filepath.Join(s.Outside, "canary"), "linked"))
	}},
	{name: "write through a link", try: func(s surrounding) string {
		os.Symlink(filepath.Join(s.Outside, "through"), "through")
		return made("written", os.WriteFile("through", nil, 0o600))
	}},
	{name: "chmod outside", except: bareLandlock, try: func(s surrounding) string {
		return made("changed", os.Chmod(filepath.Join(s.Outside, "canary"), 0o666))
	}},
	{name: "chown outside", except: bareLandlock, try: func(s surrounding) string {
		return made("changed", os.Chown(filepath.Join(s.Outside, "canary"), os.Getuid(), os.Getgid()))
	}},
	{name: "touch outside", except: bareLandlock, try: func(s surrounding) string {
		return made("changed", os.Chtimes(filepath.Join(s.Outside, "canary"), time.Unix(1, 0), time.Unix(1, 0)))
	}},
	{name: "setxattr outside", except: bareLandlock, try: func(s surrounding) string {
		return made("changed", unix.Setxattr(filepath.Join(s.Outside, "canary"), "user.x", []byte("x"), 0))
	}},
	{name: "write the repository's hooks", try: func(s surrounding) string {
		return made("written", os.WriteFile(filepath.Join(s.Repo, ".git/hooks/post-checkout"), nil, 0o700))
	}},
	{name: "write the repository's objects", try: func(s surrounding) string {
		return made("written", os.WriteFile(filepath.Join(s.Repo, ".git/objects/info/alternates"), nil, 0o600))
	}},
	{name: "write the work tree", try: func(s surrounding) string {
		os.WriteFile(filepath.Join(s.Repo, "planted"), nil, 0o600) // the test checks the real directory
		return ""
	}},
	{name: "write a shell's start file", try: func(s surrounding) string {
		os.WriteFile(filepath.Join(s.Home, ".bashrc"), []byte("planted"), 0o600) // a private home may be written; the test checks the real one
		return ""
	}},
	{name: "write /usr", try: func(surrounding) string { return made("written", os.WriteFile("/usr/git-agent-probe", nil, 0o600)) }},
	{name: "write /etc", try: func(surrounding) string { return made("written", os.WriteFile("/etc/git-agent-probe", nil, 0o600)) }},
	{name: "make a block device", try: func(surrounding) string {
		return made("made", unix.Mknod("block", unix.S_IFBLK|0o600, int(unix.Mkdev(254, 0))))
	}},
	{name: "make a character device", try: func(surrounding) string {
		return made("made", unix.Mknod("mem", unix.S_IFCHR|0o600, int(unix.Mkdev(1, 1))))
	}},
	{name: "open by handle", try: func(s surrounding) string {
		handle := unix.NewFileHandle(1, make([]byte, 8))
		_, err := unix.OpenByHandleAt(unix.AT_FDCWD, handle, 0)
		return made("opened", err)
	}},
	{name: "the user's .env file", try: func(s surrounding) string {
		if why := contains(".env", s.Canary); why != "" {
			return why
		}
		return contains(filepath.Join(s.Repo, ".env"), s.Canary)
	}},
}

// processProbes try to reach processes outside.
var processProbes = []probe{
	{name: "key in the environment", none: true, try: func(s surrounding) string {
		for _, kv := range os.Environ() {
			if strings.Contains(kv, s.Canary) {
				return kv
			}
		}
		return ""
	}},
	{name: "key in some environ", none: true, try: func(s surrounding) string {
		if s.Level == "none" && os.Getuid() == 0 {
			return "" // root can read everything at level none, as the manual says
		}
		files, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, file := range files {
			if file == fmt.Sprintf("/proc/%d/environ", s.Victim) && s.Level == "none" {
				continue // a process of the user that does not protect itself
			}
			if why := contains(file, "key-"+s.Canary); why != "" {
				return file
			}
		}
		return ""
	}},
	{name: "standard input", none: true, try: func(surrounding) string {
		n, _ := bufio.NewReader(os.Stdin).Read(make([]byte, 1))
		return made("there is input", map[bool]error{true: nil, false: os.ErrClosed}[n > 0])
	}},
	{name: "descriptors handed down", none: true, try: strangeDescriptors},
	{name: "controlling terminal", none: true, try: func(surrounding) string { return opened("/dev/tty", os.O_RDWR) }},
	{name: "victim environ", try: ofVictim("environ")}, {name: "victim mem", try: ofVictim("mem")}, {name: "victim maps", try: ofVictim("maps")},
	{name: "victim root", try: ofVictim("root/etc/shadow")}, {name: "victim cwd", try: ofVictim("cwd/canary")}, {name: "victim fd", try: ofVictim("fd/0")},
	{name: "victim exe", try: ofVictim("exe")},
	{name: "ptrace", try: func(s surrounding) string { return s.namespaced(made("attached", unix.PtraceSeize(s.Victim))) }},
	{name: "process_vm_readv", try: func(s surrounding) string {
		var b [8]byte
		local := []unix.Iovec{{Base: &b[0], Len: 8}}
		_, err := unix.ProcessVMReadv(s.Victim, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b)), Len: 8}}, 0)
		return s.namespaced(made("read", err))
	}},
	{name: "signal", try: func(s surrounding) string { return s.namespaced(made("signalled", unix.Kill(s.Victim, 0))) }},
	{name: "pidfd_getfd", try: func(s surrounding) string {
		fd, err := unix.PidfdOpen(s.Victim, 0)
		if err != nil {
			return ""
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return s.namespaced(made("taken", err))
	}},
	{name: "prlimit", try: func(s surrounding) string {
		var old unix.Rlimit
		if unix.Prlimit(s.Victim, unix.RLIMIT_CORE, nil, &old) != nil {
			return ""
		}
		return s.namespaced(made("limited", unix.Prlimit(s.Victim, unix.RLIMIT_CORE, &old, nil)))
	}},
	{name: "setpriority", try: func(s surrounding) string {
		return s.namespaced(made("set", unix.Setpriority(unix.PRIO_PROCESS, s.Victim, 1)))
	}},
	{name: "setpriority of all processes of the user", try: func(s surrounding) string {
		return s.namespaced(made("set", unix.Setpriority(unix.PRIO_USER, 0, 0))) // which changes nothing where it succeeds
	}},
	{name: "sched_setaffinity", try: func(s surrounding) string {
		var set unix.CPUSet
		if unix.SchedGetaffinity(s.Victim, &set) != nil {
			return ""
		}
		return s.namespaced(made("set", unix.SchedSetaffinity(s.Victim, &set)))
	}},
	{name: "sched_setscheduler", try: scheduled(unix.SYS_SCHED_SETSCHEDULER, unix.SCHED_BATCH)},
	{name: "sched_setparam", try: scheduled(unix.SYS_SCHED_SETPARAM, 0)},
	{name: "sched_setattr", try: func(s surrounding) string {
		attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: 10}
		return s.namespaced(made("set", unix.SchedSetAttr(s.Victim, &attr, 0)))
	}},
	{name: "ioprio_set", try: func(s surrounding) string {
		const process, idle = 1, 3 << 13
		_, _, errno := unix.Syscall(unix.SYS_IOPRIO_SET, process, uintptr(s.Victim), idle)
		return s.namespaced(made("set", map[bool]error{true: nil, false: errno}[errno == 0]))
	}},
	{name: "type into a terminal", try: func(surrounding) string {
		master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			return ""
		}
		defer master.Close()
		b := byte('x')
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, master.Fd(), unix.TIOCSTI, uintptr(unsafe.Pointer(&b)))
		return made("typed", map[bool]error{true: nil, false: errno}[errno == 0])
	}},
	{name: "System V memory", try: func(s surrounding) string {
		if s.Shm < 0 {
			return ""
		}
		_, err := unix.SysvShmAttach(s.Shm, 0, unix.SHM_RDONLY)
		return made("attached", err)
	}},
}

// scheduled sets the scheduling of the victim by a call whose last argument is a priority.
func scheduled(nr, policy uintptr) func(surrounding) string {
	return func(s surrounding) string {
		var priority int32
		args := [3]uintptr{uintptr(s.Victim), uintptr(unsafe.Pointer(&priority))}
		if nr == unix.SYS_SCHED_SETSCHEDULER {
			args[1], args[2] = policy, args[1]
		}
		_, _, errno := unix.Syscall(nr, args[0], args[1], args[2])
		return s.namespaced(made("set", map[bool]error{true: nil, false: errno}[errno == 0]))
	}
}

// namespaced corrects what a probe reached by the pid of a process outside. In the pid
// namespace of bwrap that number is another process or none, so namespaced reports
// instead whether processes outside can be seen.
func (s surrounding) namespaced(reached string) string {
	if s.Level != "bwrap" {
		return reached
	}
	if found, _ := filepath.Glob("/proc/[0-9]*"); len(found) > 10 {
		return fmt.Sprintf("%d processes can be seen", len(found))
	}
	return ""
}

func ofVictim(file string) func(surrounding) string {
	return func(s surrounding) string {
		path := fmt.Sprintf("/proc/%d/%s", s.Victim, file)
		if _, err := os.Readlink(path); err == nil {
			return s.namespaced("its link can be read")
		}
		f, err := os.Open(path)
		if err != nil {
			return ""
		}
		defer f.Close()
		return s.namespaced("it can be opened")
	}
}

// strangeDescriptors returns the descriptors of files, sockets or devices that do not
// belong to the command.
func strangeDescriptors(surrounding) string {
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		n, _ := strconv.Atoi(e.Name())
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		own := strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/proc/") || strings.HasPrefix(to, "/sys/fs/cgroup") // this program's runtime
		if err == nil && n > 2 && !own {
			return e.Name() + " is " + to
		}
	}
	return ""
}

// kernelProbes try to gain privileges.
var kernelProbes = []probe{
	{name: "CapEff", try: capability("CapEff")}, {name: "CapPrm", try: capability("CapPrm")}, {name: "CapInh", try: capability("CapInh")}, {name: "CapAmb", try: capability("CapAmb")},
	{name: "CapBnd", try: func(s surrounding) string {
		if strings.HasPrefix(s.Level, "landlock") && os.Getuid() != 0 {
			return "" // a user cannot use the bounding set if privileges cannot be gained
		}
		return capability("CapBnd")(s)
	}},
	{name: "new privileges", try: func(surrounding) string {
		n, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
		return made("they can be gained", map[bool]error{true: nil, false: os.ErrInvalid}[err == nil && n == 0])
	}},
	{name: "become another user", try: func(surrounding) string { return made("done", unix.Setresuid(12345, 12345, 12345)) }},
	{name: "user namespace by clone", try: func(surrounding) string { return cloned(syscall.CLONE_NEWUSER) }},
	{name: "mount namespace by clone", try: func(surrounding) string { return cloned(syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS) }},
	{name: "network namespace by clone", try: func(surrounding) string { return cloned(syscall.CLONE_NEWNET) }},
	{name: "user namespace by unshare(1)", try: func(surrounding) string { return made("made", exec.Command("unshare", "-Ur", "true").Run()) }},
	{name: "a sandbox inside", try: func(surrounding) string {
		return made("started", exec.Command("bwrap", "--unshare-user", "--ro-bind", "/", "/", "true").Run())
	}},
	{name: "user namespace by clone3", try: func(surrounding) string {
		args := struct{ flags, pidfd, child, parent, exit, stack, size, tls uint64 }{flags: unix.CLONE_NEWUSER, exit: uint64(unix.SIGCHLD)}
		pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
		if errno == 0 && pid == 0 {
			unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
		return made("made", map[bool]error{true: nil, false: errno}[errno == 0])
	}},
	{name: "enter the first network namespace", try: func(surrounding) string {
		f, err := os.Open("/proc/1/ns/net")
		if err != nil {
			return ""
		}
		defer f.Close()
		return made("entered", unix.Setns(int(f.Fd()), 0))
	}},
	{name: "mount", try: func(surrounding) string { // the file system type does not exist, so nothing changes
		err := unix.Mount("none", ".", "git-agent", 0, "")
		return made("may mount", map[bool]error{true: nil, false: err}[err != unix.EPERM])
	}},
	{name: "bind mount", try: func(surrounding) string {
		err := unix.Mount("/usr", "absent", "", unix.MS_BIND, "")
		return made("may mount", map[bool]error{true: nil, false: err}[err != unix.EPERM])
	}},
	{name: "umount", try: numbered(unix.SYS_UMOUNT2)}, {name: "pivot_root", try: numbered(unix.SYS_PIVOT_ROOT)}, {name: "move_mount", try: numbered(unix.SYS_MOVE_MOUNT)},
	{name: "mount_setattr", try: numbered(unix.SYS_MOUNT_SETATTR)}, {name: "chroot", try: numbered(unix.SYS_CHROOT)},
	{name: "open_tree", try: func(surrounding) string {
		_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
		return made("opened", err)
	}},
	{name: "fsopen", try: func(surrounding) string { _, err := unix.Fsopen("tmpfs", 0); return made("opened", err) }},
	{name: "keyring", try: func(surrounding) string {
		_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)
		return made("found", err)
	}},
	{name: "add_key", try: func(surrounding) string {
		_, err := unix.AddKey("user", "git-agent-probe", []byte("x"), unix.KEY_SPEC_PROCESS_KEYRING)
		return made("added", err)
	}},
	{name: "bpf", try: numbered(unix.SYS_BPF)}, {name: "perf_event_open", try: numbered(unix.SYS_PERF_EVENT_OPEN)}, {name: "userfaultfd", try: numbered(unix.SYS_USERFAULTFD)},
	{name: "io_uring", try: numbered(unix.SYS_IO_URING_SETUP)}, {name: "kexec_load", try: numbered(unix.SYS_KEXEC_LOAD)}, {name: "init_module", try: numbered(unix.SYS_INIT_MODULE)},
	{name: "reboot without its magic", try: numbered(unix.SYS_REBOOT)}, {name: "the kernel's log", try: func(surrounding) string { _, err := unix.Klogctl(3, make([]byte, 64)); return made("read", err) }},
	{name: "raise own priority", try: func(surrounding) string { return made("raised", unix.Setpriority(unix.PRIO_PROCESS, 0, -5)) }},
	{name: "host name", try: func(surrounding) string { name, _ := os.Hostname(); return made("set", unix.Sethostname([]byte(name))) }},
	{name: "core dumps", try: func(surrounding) string {
		var l unix.Rlimit
		err := unix.Getrlimit(unix.RLIMIT_CORE, &l)
		return made(fmt.Sprint("up to ", l.Max), map[bool]error{true: nil, false: os.ErrInvalid}[err == nil && l.Max != 0])
	}},
	{name: "file size", try: func(surrounding) string {
		f, err := os.Create("huge")
		if err != nil {
			return err.Error()
		}
		defer os.Remove("huge")
		defer f.Close()
		return made("a sparse file of 64 GiB", f.Truncate(64<<30))
	}},
}

func capability(set string) func(surrounding) string {
	return func(surrounding) string {
		text, _ := os.ReadFile("/proc/self/status")
		_, rest, _ := strings.Cut(string(text), set+":")
		value, _, _ := strings.Cut(rest, "\n")
		if strings.Trim(strings.TrimSpace(value), "0") != "" {
			return strings.TrimSpace(value)
		}
		return ""
	}
}

// numbered makes a system call with invalid arguments. If a filter refuses the call, it
// fails with EPERM before the kernel checks the arguments.
func numbered(nr uintptr) func(surrounding) string {
	return func(surrounding) string {
		_, _, errno := unix.Syscall6(nr, 0, 0, 0, 0, 0, 0)
		if errno == unix.EPERM || errno == unix.ENOSYS {
			return ""
		}
		return errno.Error()
	}
}

func cloned(flags uintptr) string {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	return made("made", cmd.Run())
}

// networkProbes try to reach other machines and services of this one.
var networkProbes = []probe{
	{name: "TCP", try: func(s surrounding) string { return dialed("tcp", s.TCP) }},
	{name: "UDP", try: func(s surrounding) string { sent("udp", s.UDP, s.Canary); return "" }}, // the test sees what arrives
	{name: "UDP elsewhere", try: func(surrounding) string { return dialed("udp", "192.0.2.1:53") }},
	{name: "UDP over IPv6", try: func(surrounding) string { return dialed("udp6", "[2001:db8::1]:53") }},
	{name: "names", try: func(surrounding) string { _, err := net.LookupHost("example.com"); return made("resolved", err) }},
	{name: "interfaces", try: func(surrounding) string {
		text, _ := os.ReadFile("/proc/self/net/dev")
		for line := range strings.Lines(string(text)) {
			if name, _, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) != "lo" && canSocket(unix.AF_INET) {
				return strings.TrimSpace(name)
			}
		}
		return ""
	}},
	{name: "socket in home", try: func(s surrounding) string { return dialed("unix", s.Sockets[0]) }},
	{name: "socket in /var", try: func(s surrounding) string { return dialed("unix", s.Sockets[1]) }},
	{name: "socket in /tmp", try: func(s surrounding) string { return dialed("unix", s.Sockets[2]) }},
	{name: "datagram socket with a name", try: func(s surrounding) string { sent("unixgram", s.Datagram, s.Canary); return "" }},
	{name: "datagram of a pair to a name", try: func(s surrounding) string {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return ""
		}
		return made("sent", unix.Sendto(pair[0], []byte(s.Canary), 0, &unix.SockaddrUnix{Name: s.Datagram}))
	}},
	{name: "abstract socket", try: func(s surrounding) string { return dialed("unix", s.Abstract) }},
	{name: "packets", try: family(unix.AF_PACKET)}, {name: "vsock", try: family(unix.AF_VSOCK)}, {name: "kernel crypto", try: family(unix.AF_ALG)},
	{name: "tipc", try: family(unix.AF_TIPC)}, {name: "bluetooth", try: family(unix.AF_BLUETOOTH)}, {name: "raw IP", try: func(surrounding) string {
		_, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)
		return made("made", err)
	}},
}

func dialed(network, address string) string {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return ""
	}
	c.Close()
	return "connected to " + address
}

func sent(network, address, text string) {
	if c, err := net.Dial(network, address); err == nil {
		c.Write([]byte(text))
		c.Close()
	}
}

func canSocket(domain int) bool {
	fd, err := unix.Socket(domain, unix.SOCK_DGRAM, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err == nil
}

func family(domain int) func(surrounding) string {
	return func(surrounding) string {
		if canSocket(domain) {
			return "a socket was made"
		}
		return ""
	}
}

// setThreadFilter installs a seccomp filter for this thread and the programs that it
// executes.
func setThreadFilter(filter []unix.SockFilter) error {
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog))); errno != 0 {
		return errno
	}
	return nil
}
