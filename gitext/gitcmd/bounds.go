package gitcmd

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A repository may make git use more than the machine has: ten nested trees of
// ten entries each are 148 KB on disk and 10,000,000,000 files. So every git
// process has bounds:
//
//   - memory: defaultMemory, or agent.gitMemory of the user's own configuration.
//     On Linux the kernel enforces it (bounds_linux.go); elsewhere nothing does.
//   - time: how long git may be silent, and how long we wait for it in all.
//   - output: each reader bounds what it keeps.
//
// gitext.Unreadable tells errors caused by a bound or by a missing object from
// all others: what could still be read is still an answer.
const (
	// defaultMemory is what one git may allocate, unless the machine has less
	// than four times as much. Packs are mapped and do not count. Measured on
	// git.git (82,000 commits) were at most 160 MB, for log -S over all of it;
	// most of that is the delta cache (96 MB), the rest grows with the commits,
	// to below 1 GB for the 1,400,000 of Linux.
	defaultMemory = 2 << 30
	// leastMemory is below what git needs in a mid-sized repository.
	leastMemory = 64 << 20
	// defaultTotal is how long git may be waited for in one call, its pauses
	// and ours aside. Linux takes about a minute for log -S over 100,000
	// commits; a search that takes longer than this is of no use to anybody.
	defaultTotal = 10 * time.Minute
	// BuildTotal is the same bound for calls that write, once, what later calls
	// use.
	BuildTotal = 2 * time.Hour
	// defaultOutput bounds the output of calls that keep all of it: about five
	// million object ids.
	defaultOutput = 256 << 20
)

// MemorySetting names the setting of the memory bound. Only the user's own
// configuration counts.
const MemorySetting = "agent.gitMemory"

// A Limits holds the memory bound of all git processes of one repository.
type Limits struct {
	memory  atomic.Int64  // bytes
	read    chan struct{} // closed when the configuration has been read
	shorter atomic.Bool   // one process has hit its bound, so later ones get less
}

// NewLimits returns limits whose memory bound is what read returns, unless that
// is too little to be of use. It calls read in the background; the first process
// waits for the result.
func NewLimits(read func() (memory int64, ok bool)) *Limits {
	l := &Limits{read: make(chan struct{})}
	l.memory.Store(memoryBound())
	go func() {
		defer close(l.read)
		if n, ok := read(); ok && n >= leastMemory {
			l.memory.Store(n)
		}
	}()
	return l
}

// MemoryFor returns the memory bound for a git process that starts now. Once a
// process has hit the bound, later ones of the same repository get a quarter:
// each would otherwise take seconds to fail in the same way.
func (r *Runner) MemoryFor() int64 {
	if r.Limits == nil {
		return memoryBound()
	}
	<-r.Limits.read
	bound := r.Limits.memory.Load()
	if r.Limits.shorter.Load() {
		bound = max(bound/4, min(bound, leastMemory))
	}
	return bound
}

// memoryBound returns the default bound for this machine.
var memoryBound = sync.OnceValue(func() int64 {
	if machine := machineMemory(); machine > 0 {
		return max(min(defaultMemory, machine/4), leastMemory)
	}
	return defaultMemory
})

// Bounded reports whether a bound on git caused the error.
func Bounded(err error) bool {
	for _, bound := range []error{ErrMemory, ErrTimeout, ErrOutputLimit, ErrCrash, ErrTooManyFiles, ErrTooLong} {
		if errors.Is(err, bound) {
			return true
		}
	}
	return false
}

// howItDied returns the bound that ended a failed git process, or nil for any
// other failure. It searches git's messages only after a failure; pinnedEnv
// fixes their language.
func (r *Runner) howItDied(p *process, stderr string) error {
	for _, words := range []string{"ut of memory", "emory exhausted", "Cannot allocate memory"} {
		if p.exit() != 1 && strings.Contains(stderr, words) {
			if r.Limits != nil {
				r.Limits.shorter.Store(true)
			}
			return fmt.Errorf("%w: more than %s", ErrMemory, sizeOf(p.bound))
		}
	}
	status, _ := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch sig := deadly(status); {
	case sig == 0 || p.stopped():
		return nil
	case sig == syscall.SIGKILL:
		return fmt.Errorf("%w: it was killed", ErrMemory)
	default:
		return fmt.Errorf("%w: %v", ErrCrash, sig)
	}
}

// deadly returns the signal that ended git, or 0 if there was none or somebody
// sent it on purpose.
func deadly(status syscall.WaitStatus) syscall.Signal {
	if !status.Signaled() {
		return 0
	}
	switch sig := status.Signal(); sig {
	case syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE:
		return sig
	}
	return 0
}

// memoryHint returns the command that raises the memory bound, if that bound
// caused err.
func memoryHint(err error) string {
	if errors.Is(err, ErrMemory) {
		return "git config --global " + MemorySetting + " <size>"
	}
	return ""
}

// sizeOf prints a bound as ParseSize reads it.
func sizeOf(n int64) string {
	switch {
	case n >= 1<<30 && n%(1<<30) == 0:
		return strconv.FormatInt(n>>30, 10) + " GiB"
	case n >= 1<<20:
		return strconv.FormatInt(n>>20, 10) + " MiB"
	}
	return strconv.FormatInt(n, 10) + " bytes"
}

// tooLong reports whether the system refused a command line as too long: a path
// in a tree may have any length, an argument may not.
func tooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
