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

// A repository may make git exceed the machine's resources: ten nested trees of
// ten entries each take 148 KB on disk and have 10,000,000,000 files. So every
// git process has bounds:
//
//   - memory: defaultMemory, or agent.gitMemory of the user's own configuration.
//     On Linux the kernel enforces it (bounds_linux.go); elsewhere nothing does.
//   - time: how long git may be silent, and how long we wait for it in all.
//   - output: each reader bounds the kept part.
//
// gitext.Unreadable is true for errors caused by a bound or by a missing object:
// the readable part is still a valid answer.
const (
	// defaultMemory bounds the allocations of one git process, in bytes, unless
	// the machine has less than four times as much. Packs are mapped and do not
	// count. On git.git (82,000 commits), git used at most 160 MB, for log -S
	// over the whole history. Most of that is the delta cache (96 MB); the rest
	// grows with the number of commits, to below 1 GB for the 1,400,000 commits
	// of Linux.
	defaultMemory = 2 << 30
	// leastMemory is less than git needs in a mid-sized repository, in bytes.
	leastMemory = 64 << 20
	// defaultTotal bounds the total wait for git in one call, without the time
	// that the reader takes. For the history of Linux, log -S over 100,000
	// commits takes about a minute; a search longer than defaultTotal is useless.
	defaultTotal = 10 * time.Minute
	// BuildTotal is the same bound for one-time calls that write data for later
	// calls.
	BuildTotal = 2 * time.Hour
	// defaultOutput bounds, in bytes, the output of calls that keep all their
	// output: about five million object ids.
	defaultOutput = 256 << 20
)

// MemorySetting names the setting of the memory bound. Only the user's own
// configuration counts.
const MemorySetting = "agent.gitMemory"

// A Limits has the memory bound for all git processes of one repository.
type Limits struct {
	memory  atomic.Int64  // bytes
	read    chan struct{} // closed when the configuration has been read
	shorter atomic.Bool   // a process hit its bound, so later ones get less
}

// NewLimits returns limits with the memory bound from read, unless that is below
// leastMemory. NewLimits calls read in the background; the first process waits
// for the result.
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

// MemoryFor returns the memory bound in bytes for the next git process. After one
// process has hit the bound, later ones of the same repository get a quarter:
// otherwise each would take seconds to fail in the same way.
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
	if p.cmd.ProcessState == nil {
		return nil // the system does not say how it ended
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

// deadly returns the signal that ended git, or 0 if there was none or the signal
// was deliberate.
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

// sizeOf prints a bound in the syntax of ParseSize.
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
// in a tree may have any length, but an argument may not.
func tooLong(err error) bool { return errors.Is(err, syscall.E2BIG) }
