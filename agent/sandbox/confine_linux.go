package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// A confinement is what a helper does to itself before it becomes a command.
type confinement struct {
	Readable []string
	Writable []string
	Isolated bool // in namespaces of its own
	Network  bool // the network is wanted
}

// attributes are those with which the helper is started.
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
	// An ordinary user keeps his number there, and loses with exec what is not ambient.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	return attr
}

func (c *confinement) sights() []sight {
	var list []sight
	for _, path := range c.Readable {
		list = append(list, sight{path: path})
	}
	for _, path := range c.Writable {
		list = append(list, sight{path: path, write: true})
	}
	return list
}

// confineAndExec returns only when something failed.
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
	if err := restrict(c.sights(), c.Isolated && !c.Network, c.Network); err != nil {
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

// filter lets sockets with names pass only where landlock knows of them, and
// those of the network where it is wanted or empty.
func (c *confinement) filter() filterOptions {
	return filterOptions{
		unix:    landlockABI() >= abiNamedUnix,
		inet:    c.Network || c.Isolated,
		foreign: true,
	}
}

// isolate makes the new namespaces what they are for: nothing but the writable
// directories can be changed, not even the modes and owners of files, of which
// landlock knows nothing; and the loopback is up.
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

// raiseLoopback lets tests talk to themselves.
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

// dropPrivileges leaves no capability, and no way to one: not for root, and
// not by a program that is setuid.
func dropPrivileges() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("renounce new privileges: %w", err)
	}
	for last := uintptr(0); ; last++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, last, 0, 0, 0)
		if err == unix.EINVAL || err == unix.EPERM {
			break // no more of them are known, or none is ours to lose
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

// limitResources bounds what can be bounded for each process by itself.
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
