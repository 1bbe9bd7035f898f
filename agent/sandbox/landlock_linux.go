package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Each landlock ABI added rights: 1 files (Linux 5.13), 2 renames between
// directories (5.19), 3 truncation (6.2), 4 TCP (6.7), 5 ioctl of devices
// (6.10), 6 abstract sockets and signals (6.12), 9 sockets with names in the
// file system, 10 UDP.
const (
	abiTruncate  = 3
	abiTCP       = 4
	abiIoctl     = 5
	abiScope     = 6
	abiNamedUnix = 9
	abiUDP       = 10
	lowestABI    = abiTruncate // with a lower ABI, a command can empty a file that it cannot open
	fileRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	readRights   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsOfABI3 = unix.LANDLOCK_ACCESS_FS_TRUNCATE<<1 - 1
	neverAllowed = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	deviceRights = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_READ_DIR
	tcpRights     = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	udpRights     = unix.LANDLOCK_ACCESS_NET_BIND_UDP | unix.LANDLOCK_ACCESS_NET_CONNECT_SEND_UDP
	scopeRights   = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	rulesetFields = 3 // 64-bit words that every kernel since ABI 6 takes; earlier ones take fewer, if the rest is 0
)

// devices lists the harmless devices.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/ptmx", "/dev/pts"}

// landlockABI returns the kernel's ABI, or 0 if it has no landlock.
func landlockABI() int {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// ruleset returns all rights that the kernel's landlock can control. The kernel then refuses
// each of them unless a rule allows it.
func ruleset(abi int, ownNetwork, network bool) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: rightsOfABI3}
	if abi >= abiIoctl {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= abiNamedUnix {
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_RESOLVE_UNIX
	}
	if abi >= abiTCP && !ownNetwork && !network {
		attr.Handled_access_net = tcpRights
	}
	if abi >= abiUDP && !ownNetwork && !network {
		attr.Handled_access_net |= udpRights
	}
	if abi >= abiScope {
		attr.Scoped = scopeRights
	}
	return attr
}

// restrict applies landlock to the calling thread and everything it starts.
func restrict(sights []visiblePath, ownNetwork, network bool) error {
	abi := landlockABI()
	attr := ruleset(abi, ownNetwork, network)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), rulesetFields*8, 0)
	if errno == unix.E2BIG || errno == unix.EINVAL {
		fd, _, errno = unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), 8, 0)
	}
	if errno != 0 {
		return fmt.Errorf("make landlock rules: %w", errno)
	}
	defer unix.Close(int(fd))
	handled := attr.Handled_access_fs
	allow := func(path string, rights uint64) error { return allowBelow(int(fd), path, rights&handled) }
	for _, g := range sights {
		rights := uint64(readRights)
		if g.write {
			rights = handled &^ neverAllowed
		}
		if err := allow(g.path, rights); err != nil {
			return err
		}
	}
	if err := allow("/proc", readRights); err != nil {
		return err
	}
	for _, path := range devices {
		if err := allow(path, deviceRights); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("enforce landlock rules: %w", errno)
	}
	return nil
}

// allowBelow adds a rule for a path. A path that does not exist needs none.
func allowBelow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("allow %q in landlock: %w", path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(
		unix.SYS_LANDLOCK_ADD_RULE,
		uintptr(ruleset),
		unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)),
		0,
		0,
		0,
	)
	if errno != 0 {
		return fmt.Errorf("allow %q in landlock: %w", path, errno)
	}
	return nil
}
