package sandbox

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"
)

// tmpSize is the size of a directory in memory.
const tmpSize = 1 << 30

// riskyFiles lists files in /proc that reveal much about the machine or control it. They belong
// to root, who needs no capability for his own files. Therefore bwrapArgv covers them for root
// where they exist. Other users cannot open them.
var riskyFiles = []string{
	"/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/mtrr",
	"/proc/latency_stats", "/proc/sched_debug", "/proc/vmallocinfo", "/proc/kallsyms", "/proc/kpagecount", "/proc/kpageflags",
}

// riskyDirs lists directories in /proc that change the machine. They are mounted read-only.
// bubblewrap itself does this only if access(2) says that the directory is writable. It never
// says so of /proc/sys, although root can write files there even from a user namespace that
// maps him.
var riskyDirs = []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver"}

// bwrapArgv returns bubblewrap's part of the command line. Only the visible
// paths exist below the root. filter is the descriptor of a system call filter,
// 0 for none.
func bwrapArgv(s Spec, v variant, sights []visiblePath, home string, filter int) []string {
	cgroups, _ := os.ReadFile("/proc/self/cgroup") // absent is ""
	argv := slices.Concat([]string{"bwrap"}, unshared(string(cgroups)), []string{"--die-with-parent", "--new-session", "--cap-drop", "ALL"})
	if v.userNS {
		argv = append(argv, "--unshare-user")
	}
	if v.noNestedNS {
		argv = append(argv, "--disable-userns")
	}
	if s.Network {
		argv = append(argv, "--share-net")
	}
	if filter > 0 {
		argv = append(argv, "--seccomp", strconv.Itoa(filter))
	}
	argv = append(argv, "--dev", "/dev", "--proc", "/proc")
	argv = append(argv, coverProc()...)
	for _, dir := range []string{"/tmp", "/var/tmp", "/run"} {
		argv = append(argv, emptyDir(v, dir)...)
	}
	argv = append(argv, bwrapHome(s, v, home)...)
	for _, g := range sights {
		switch {
		case g.link != "":
			argv = append(argv, "--symlink", g.link, g.path)
		case g.write:
			argv = append(argv, "--bind", g.path, g.path)
		default:
			argv = append(argv, "--ro-bind", g.path, g.path)
		}
	}
	for _, g := range sights {
		argv = append(argv, cover(v, hiddenBelow(g, s.Hidden))...)
		for _, c := range s.Covered {
			argv = append(argv, c.mount(v, hiddenBelow(g, []string{c.Path}))...)
		}
	}
	return append(argv, "--remount-ro", "/", "--chdir", s.Dir)
}

// unshared returns the options for the namespaces of a command, by the control groups of this process:
// all of them, but for that of control groups where a group of version 1 has a path. In a namespace of
// its own, the command's path is "/", while the mounted hierarchy begins above it, at "/../..". A JVM
// before version 24 then reads files that are not there, and Gradle ends with "Could not create
// service of type MemoryManager".
func unshared(cgroups string) []string {
	for line := range strings.Lines(cgroups) {
		field := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(field) == 3 && field[1] != "" && field[2] != "/" {
			return []string{"--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"}
		}
	}
	return []string{"--unshare-all"}
}

// mount mounts the substitute over each path.
func (c Cover) mount(v variant, paths []string) []string {
	if c.With == "" {
		return cover(v, paths)
	}
	var argv []string
	for _, path := range paths {
		argv = append(argv, "--ro-bind", c.With, path)
	}
	return argv
}

// cover mounts something empty over each path.
func cover(v variant, paths []string) []string {
	var argv []string
	for _, path := range paths {
		if st, err := os.Stat(path); err == nil && !st.IsDir() {
			argv = append(argv, "--ro-bind", "/dev/null", path)
			continue
		}
		argv = append(append(argv, emptyDir(v, path)...), "--remount-ro", path)
	}
	return argv
}

func emptyDir(v variant, dir string) []string {
	if v.noNestedNS {
		return []string{"--size", strconv.Itoa(tmpSize), "--tmpfs", dir}
	}
	return []string{"--tmpfs", dir}
}

// bwrapHome mounts an empty, writable home directory.
func bwrapHome(s Spec, v variant, home string) []string {
	if home == "" {
		return nil
	}
	if s.Cache != "" {
		return []string{"--bind", freshHome(s), home}
	}
	return emptyDir(v, home)
}

// freshHome returns the path of a command's home directory. It is beside the cache and not in
// it: the command could replace a directory in the cache by a link, and links must not be
// mounted.
func freshHome(s Spec) string { return cmp.Or(s.Home, s.Cache+".home") }

func coverProc() []string {
	var argv []string
	if os.Getuid() != 0 {
		return nil // a mount takes time, and other users cannot open these files
	}
	for _, path := range slices.Concat(riskyDirs, riskyFiles) {
		st, err := os.Lstat(path)
		switch {
		case err != nil:
		case st.IsDir():
			argv = append(argv, "--ro-bind", path, path)
		default:
			argv = append(argv, "--ro-bind", "/dev/null", path)
		}
	}
	return argv
}
