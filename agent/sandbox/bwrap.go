package sandbox

import (
	"os"
	"slices"
	"strconv"
)

// tmpSize bounds what may be written to a directory in memory.
const tmpSize = 1 << 30

// riskyFiles are files of /proc that say much about the machine, or command it.
// They are root's, who needs no capability for his own files; for him they are
// covered where they exist. Others cannot open them.
var riskyFiles = []string{
	"/proc/sysrq-trigger", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/mtrr",
	"/proc/latency_stats", "/proc/sched_debug", "/proc/vmallocinfo", "/proc/kallsyms", "/proc/kpagecount", "/proc/kpageflags",
}

// riskyDirs are directories of /proc that change the machine. They are shown
// read-only. bubblewrap does this only where access(2) says that the directory
// itself can be written, which is never so for /proc/sys, while root's files in
// it can be, even from a user namespace that maps him.
var riskyDirs = []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/acpi", "/proc/scsi", "/proc/driver"}

// bwrapArgv is bubblewrap's part of the command line. The root is empty but for
// the sights; filter is the number of the descriptor with a system call filter,
// 0 for none.
func bwrapArgv(s Spec, v variant, sights []sight, home string, filter int) []string {
	argv := []string{"bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"}
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
	return append(argv, "--remount-ro", "/", "--chdir", s.Dir)
}

func emptyDir(v variant, dir string) []string {
	if v.noNestedNS {
		return []string{"--size", strconv.Itoa(tmpSize), "--tmpfs", dir}
	}
	return []string{"--tmpfs", dir}
}

// bwrapHome is a home directory with nothing in it, that can be written.
func bwrapHome(s Spec, v variant, home string) []string {
	if home == "" {
		return nil
	}
	if s.Cache != "" {
		return []string{"--bind", freshHome(s), home}
	}
	return emptyDir(v, home)
}

// freshHome is where a command's home directory is. It stands beside the cache,
// not in it: what the command could replace by a link must not be mounted.
func freshHome(s Spec) string { return s.Cache + ".home" }

func coverProc() []string {
	var argv []string
	if os.Getuid() != 0 {
		return nil // each mount costs, and these files are not the user's
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
