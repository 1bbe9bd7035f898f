package sandbox

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A system call filter complements the namespaces and landlock: it blocks calls that neither of
// them controls. It does not block ptrace(2) and similar calls: both namespaces and landlock
// control these, and sanitizers and debuggers need them among the command's own processes.

// filterOptions say which further calls a filter allows.
type filterOptions struct {
	unix    bool // sockets that have names in the file system
	inet    bool // network sockets, perhaps only of the command's own namespace
	foreign bool // other processes can be reached: block changes of their limits, priorities and processors, and access to their shared memory
}

// auditArch maps the instruction set to the kernel's number. An unknown one has
// no filter.
var auditArch = map[string]uint32{
	"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64,
	"riscv64": unix.AUDIT_ARCH_RISCV64, "loong64": unix.AUDIT_ARCH_LOONGARCH64,
}

// x32Bit marks calls of the x32 ABI, which have other numbers and would
// otherwise pass.
const x32Bit = 0x40000000

// namespaces are the flags of clone(2) and unshare(2) that create namespaces.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// refused lists calls that reach outside a sandbox and that no build needs: mounts, keyrings
// (which no namespace covers), and the parts of the kernel with the most known holes.
var refused = []uint32{
	unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_SYSLOG, unix.SYS_REBOOT, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_OPEN_BY_HANDLE_AT,
}

// sharedMemory lists calls that find objects of other processes by number or
// name.
var sharedMemory = []uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN}

// ofAProcess lists calls that set the limits, processors or scheduling of a process, their
// first argument. 0 is the caller. A filter does not know the numbers of the caller and of its
// threads, so calls with these numbers are refused, too; programs such as taskset use 0.
var ofAProcess = []uint32{
	unix.SYS_PRLIMIT64,
	unix.SYS_SCHED_SETAFFINITY,
	unix.SYS_SCHED_SETSCHEDULER,
	unix.SYS_SCHED_SETPARAM,
	unix.SYS_SCHED_SETATTR,
}

// These are the kinds of targets of ioprio_set(2), which has no header.
const (
	ioprioProcess = 1
	ioprioGroup   = 2
)

const (
	offNr   = 0
	offArch = 4
	offArgs = 16 // each argument has 8 bytes, the low half first: all of auditArch are little-endian
)

// assembler collects a program for the kernel's packet filter machine.
type assembler []unix.SockFilter

func (a *assembler) add(code uint16, k uint32, jt, jf uint8) {
	*a = append(*a, unix.SockFilter{Code: code, Jt: jt, Jf: jf, K: k})
}

func (a *assembler) load(off uint32) { a.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, off, 0, 0) }

func (a *assembler) fail(errno unix.Errno) {
	a.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno), 0, 0)
}

func (a *assembler) allow() { a.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW, 0, 0) }

// equal skips the next skip instructions unless the loaded word is k.
func (a *assembler) equal(k uint32, skip int) {
	a.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, uint8(skip))
}

// refuse fails a call whatever its arguments.
func (a *assembler) refuse(nr uint32, errno unix.Errno) {
	a.equal(nr, 1)
	a.fail(errno)
}

// refuseFlags fails a call when its first argument has one of the flags.
func (a *assembler) refuseFlags(nr, flags uint32) {
	a.equal(nr, 4)
	a.load(offArgs)
	a.add(unix.BPF_JMP|unix.BPF_JSET|unix.BPF_K, flags, 0, 1)
	a.fail(unix.EPERM)
	a.allow()
}

// choose allows a call only if the masked argument is one of the values, or, if
// forbidden is set, only if it is none of them.
func (a *assembler) choose(nr, arg, mask uint32, errno unix.Errno, forbidden bool, values ...uint32) {
	a.equal(nr, 4+2*len(values))
	a.load(offArgs + 8*arg)
	a.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0)
	for _, v := range values {
		a.equal(v, 1)
		if forbidden {
			a.fail(errno)
		} else {
			a.allow()
		}
	}
	if forbidden {
		a.allow()
		a.allow() // keeps the length of both branches equal
	} else {
		a.fail(errno)
		a.fail(errno)
	}
}

// ownOnly allows a call only if its second argument is 0, the caller, and its first argument is
// one of the kinds. Another kind means all processes of a user.
func (a *assembler) ownOnly(nr uint32, kinds ...uint32) {
	a.equal(nr, 5+2*len(kinds))
	a.load(offArgs + 8)
	a.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, 0, 1, 0)
	a.fail(unix.EPERM)
	a.load(offArgs)
	for _, kind := range kinds {
		a.equal(kind, 1)
		a.allow()
	}
	a.fail(unix.EPERM)
}

// systemCallFilter returns the filter program, or an error that says why there
// is none.
func systemCallFilter(opt filterOptions) ([]unix.SockFilter, error) {
	arch, ok := auditArch[runtime.GOARCH]
	if !ok {
		return nil, fmt.Errorf("no filter of system calls is written for %s", runtime.GOARCH)
	}
	var a assembler
	a.load(offArch)
	a.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, arch, 1, 0)
	a.fail(unix.ENOSYS) // programs of another instruction set number their calls differently
	a.load(offNr)
	if runtime.GOARCH == "amd64" {
		a.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32Bit, 0, 1)
		a.fail(unix.ENOSYS)
	}
	for _, nr := range refused {
		a.refuse(nr, unix.EPERM)
	}
	a.refuse(unix.SYS_CLONE3, unix.ENOSYS) // its flags are behind a pointer; the C library then uses clone
	a.refuseFlags(unix.SYS_CLONE, namespaces)
	a.refuseFlags(unix.SYS_UNSHARE, namespaces)
	a.choose(unix.SYS_IOCTL, 1, ^uint32(0), unix.EPERM, true, unix.TIOCSTI, unix.TIOCLINUX) // typing into a terminal
	if opt.foreign {
		for _, nr := range sharedMemory {
			a.refuse(nr, unix.EPERM)
		}
		for _, nr := range ofAProcess {
			a.choose(nr, 0, ^uint32(0), unix.EPERM, false, 0)
		}
		a.ownOnly(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS, unix.PRIO_PGRP)
		a.ownOnly(unix.SYS_IOPRIO_SET, ioprioProcess, ioprioGroup)
	}
	filterSockets(&a, opt)
	a.allow()
	return a, nil
}

// filterSockets allows only some socket families: many belong to no network namespace.
// AF_VSOCK, for example, reaches the host of a virtual machine. One end of a datagram socket
// pair can send to any address, so such pairs are refused if named sockets are refused.
func filterSockets(a *assembler, opt filterOptions) {
	var families []uint32
	if opt.unix {
		families = append(families, unix.AF_UNIX)
	} else {
		const kind = 0xf
		a.choose(unix.SYS_SOCKETPAIR, 1, kind, unix.EPERM, false, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
	}
	if opt.inet {
		families = append(families, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)
	}
	a.choose(unix.SYS_SOCKET, 0, ^uint32(0), unix.EAFNOSUPPORT, false, families...)
}

// filterBytes returns the program in the form that bubblewrap reads.
func filterBytes(program []unix.SockFilter) []byte {
	size := int(unsafe.Sizeof(unix.SockFilter{}))
	return unsafe.Slice((*byte)(unsafe.Pointer(&program[0])), len(program)*size)
}

// setFilter applies the program to the calling thread and everything it starts.
func setFilter(program []unix.SockFilter) error {
	if len(program) == 0 {
		return errors.New("an empty filter")
	}
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
