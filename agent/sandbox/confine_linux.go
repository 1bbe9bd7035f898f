package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A confinement says how a helper restricts itself before it executes a
// command.
type confinement struct {
	Readable []string
	Writable []string
	Isolated bool // in its own namespaces
	Network  bool // the network is wanted
}

// attributes returns the attributes for starting the helper.
func (c *confinement) attributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if !c.Isolated {
		return attr
	}
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	if !c.Network {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	uid, gid := os.Getuid(), os.Getgid()
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	// An ordinary user keeps his id in the namespace, and exec drops all
	// capabilities that are not ambient.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	return attr
}

func (c *confinement) visiblePaths() []visiblePath {
	var list []visiblePath
	for _, path := range c.Readable {
		list = append(list, visiblePath{path: path})
	}
	for _, path := range c.Writable {
		list = append(list, visiblePath{path: path, write: true})
	}
	return list
}

// The kernel ends a process with this score before others when the machine runs out of memory, which
// is not limited by default: a test must not take the user's other programs with it.
const (
	oomScore   = "/proc/self/oom_score_adj"
	firstToEnd = "1000"
)

// confineAndExec applies the confinement and executes the command. It returns
// only an error.
func confineAndExec() error {
	var p plan
	if err := json.NewDecoder(os.NewFile(planFD, "plan")).Decode(&p); err != nil || p.Confine == nil || len(p.Argv) == 0 {
		return fmt.Errorf("no plan: %w", err)
	}
	c := p.Confine
	program, err := p.program()
	if err != nil {
		return err
	}
	os.WriteFile(oomScore, []byte(firstToEnd), 0) // before isolate; a kernel that refuses ends another process
	if c.Isolated {
		if err := c.isolate(); err != nil {
			return err
		}
	}
	if err := os.Chdir(p.Dir); err != nil {
		return err
	}
	if err := limitResources(); err != nil {
		return err
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if err := restrict(c.visiblePaths(), c.Isolated && !c.Network, c.Network); err != nil {
		return err
	}
	filter, err := systemCallFilter(c.filter())
	if err != nil {
		return err
	}
	if err := setFilter(filter); err != nil {
		return err
	}
	return fmt.Errorf("run %q: %w", program, syscall.Exec(program, p.Argv, p.Env))
}

// filter allows named sockets only if landlock controls them. It allows network sockets only if
// the network is wanted or the namespace has no network.
func (c *confinement) filter() filterOptions {
	return filterOptions{
		unix:    landlockABI() >= abiNamedUnix,
		inet:    c.Network || c.Isolated,
		foreign: true,
	}
}

// isolate sets up the new namespaces: only the writable directories can be changed, and the
// loopback interface is up. Elsewhere even the modes and owners of files, which landlock does
// not control, cannot be changed.
func (c *confinement) isolate() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	for _, dir := range c.Writable {
		if err := unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return fmt.Errorf("mount %q: %w", dir, err)
		}
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("make mounts read-only: %w", err)
	}
	open := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	for _, dir := range c.Writable {
		if err := unix.MountSetattr(unix.AT_FDCWD, dir, 0, &open); err != nil {
			return fmt.Errorf("make %q writable: %w", dir, err)
		}
	}
	if c.Network {
		return nil
	}
	return raiseLoopback()
}

// raiseLoopback brings up the loopback interface, so that tests can talk to
// themselves.
func raiseLoopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("raise the loopback: %w", err)
	}
	defer unix.Close(fd)
	ifr, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	if err := unix.IoctlIfreq(fd, unix.SIOCGIFFLAGS, ifr); err != nil {
		return fmt.Errorf("raise the loopback: %w", err)
	}
	ifr.SetUint16(ifr.Uint16() | unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, ifr); err != nil {
		return fmt.Errorf("raise the loopback: %w", err)
	}
	return nil
}

// dropPrivileges drops all capabilities and every way to regain them, by root
// or by a setuid program.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("renounce new privileges: %w", err)
	}
	for last := uintptr(0); ; last++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, last, 0, 0, 0)
		if err == unix.EINVAL || err == unix.EPERM {
			break // there are no more capabilities, or this process has none
		}
		if err != nil {
			return fmt.Errorf("drop capabilities: %w", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && err != unix.EINVAL {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&head, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// limitResources sets the limits that apply to each process.
func limitResources() error {
	for _, l := range []struct {
		what int
		max  uint64
	}{{unix.RLIMIT_CORE, 0}, {unix.RLIMIT_FSIZE, maxFileSize}} {
		var old unix.Rlimit
		if err := unix.Getrlimit(l.what, &old); err != nil {
			return err
		}
		most := min(l.max, old.Max)
		if err := unix.Setrlimit(l.what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit resources: %w", err)
		}
	}
	return nil
}
