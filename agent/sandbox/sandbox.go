// Package sandbox runs the commands of a project: its builds and its tests.
// Beside gitext, which runs git, it is the only place that does.
//
// A caller makes a [Scratch] directory, fills it, and calls [Run] with a
// command in the words of the user. Promises:
//
//   - A command is the user's own; nothing that a repository says is ever part
//     of it. It runs by `sh -c`, without a terminal and without input.
//   - It gets the variables of an allow-list and no others, so that no key
//     reaches it, and with [Harden] it cannot read them from this process. With
//     [Helper] no open file of this process reaches it.
//   - It ends: at its time limit, or with the context, or with this process, all
//     that it started is asked to stop and after a grace is killed, and so is
//     what it leaves running when it exits. Its output is bounded.
//   - A level of isolation counts only when this program, run inside, found no
//     way out ([Probe]). The one that was used is in the [Result]. Nothing falls
//     back to [None]: where no level works, nothing runs.
//
// At levels [Bwrap] and [Landlock] a command is without capabilities and any way
// to gain one, makes no namespace, has no network unless asked, and reaches no
// Unix socket of others. It sees the system's programs and libraries, toolchains
// below the home directory by name (visible.go), and what the caller names; it
// writes the directories of its [Spec] and a home directory that is thrown away.
// Core dumps are off and files have 16 GiB at most.
//
// Limits: at level None a command can do what the user can do. Landlock leaves
// these in sight: the command lines of other processes, and whether a file with a
// known name exists. Its commands open no Unix socket by name, and have no /tmp
// and no /dev/shm of their own. Where the kernel allows no namespaces, it does not
// keep modes, owners and times of the user's files elsewhere, loopback sockets
// do not work either, and before Linux 6.12 signals reach the user's other
// processes; Standing.Limits tells. Programs of another instruction set, such as
// 32-bit ones, do not run at these levels. Memory is limited when asked (see
// [Spec]). Processor time and room on the disk are not limited; the number of
// processes is at level Bwrap, except for root. Elsewhere than on Linux there is
// no level but None, and a process that leaves the group (setsid) survives.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// grace is how long a process group may take to end when asked to.
const grace = 2 * time.Second

// drainLimit is how long output is still read after a group was killed. Only
// a process that left the group can hold the pipe that long.
const drainLimit = 500 * time.Millisecond

// DefaultMaxOutput is how many bytes are kept of the beginning, and as many of
// the end, of what a command prints.
const DefaultMaxOutput = 32 << 10

// errTimeout is the cause of a context that Spec.Timeout ended.
var errTimeout = errors.New("time limit")

// A Spec says what to run and how.
type Spec struct {
	Dir     string // working directory; writable
	Command string // for sh -c, in the user's words

	Env []string // names of more variables to pass on
	Set []string // NAME=value pairs that the caller makes

	Timeout   time.Duration // 0 is none
	MaxOutput int           // bytes kept at each end; 0 is DefaultMaxOutput
	// Memory bounds what each process may write to, in bytes; 0 is no bound.
	// It is the kernel's RLIMIT_DATA, which Linux has applied to all private
	// memory since 4.7, while other systems count the heap of old or nothing.
	// Address space that is only reserved is free, so Go, Java and Node run;
	// programs built with a sanitizer map terabytes of shadow and do not start.
	// That is why nobody is bound who did not ask.
	Memory int64

	Sandbox  Level
	Writable []string // directories besides Dir that may be written
	Readable []string // what may be read besides the system and toolchains
	// Cache is where build caches go when the user's are read-only. Beside it, in
	// Cache.home, stands the home directory of the command, made anew each time.
	Cache   string
	Network bool // leave the network on at levels that turn it off

	argv []string // in place of Command, for the self-test
}

// A Result is what became of a command.
type Result struct {
	// Exit is the code that a shell would report: 128+n for signal n.
	Exit     int
	Signal   os.Signal // what ended the shell itself; nil otherwise
	TimedOut bool
	Starved  bool   // it failed in time, it seems for want of memory; see Spec.Memory
	Output   []byte // stdout and stderr as they came; see Omitted
	Omitted  int64  // bytes left out of the middle of Output
	Duration time.Duration
	Level    Level // what was used: Bwrap, Landlock or None
	Stayed   int   // processes that it left and that could not be ended
}

// Run runs one command to its end. A command that fails is a result, not an
// error; an error means that it could not be run, or that ctx ended first.
func Run(ctx context.Context, s Spec) (Result, error) {
	standing, err := Probe(ctx, s.Sandbox)
	if err != nil {
		return Result{}, err
	}
	return runAt(ctx, s, standing)
}

// runAt runs a command at a level that is known to work, or on trial.
func runAt(ctx context.Context, s Spec, standing Standing) (Result, error) {
	env, err := environ(os.LookupEnv, os.Environ(), s, standing.Level)
	if err != nil {
		return Result{}, err
	}
	runCtx, cancel := ctx, context.CancelFunc(func() {})
	if s.Timeout > 0 {
		runCtx, cancel = context.WithTimeoutCause(ctx, s.Timeout, errTimeout)
	}
	defer cancel()
	j, err := newJob(runCtx, s, standing, env)
	if err != nil {
		return Result{}, fmt.Errorf("run %q: %w", s.Command, err)
	}
	out := newBounded(s.MaxOutput)
	began := time.Now()
	werr := runGroup(j, out)
	res := Result{Duration: time.Since(began), Level: standing.Level}
	res.Output, res.Omitted = out.bytes()
	if err := ctx.Err(); err != nil {
		return res, context.Cause(ctx)
	}
	res.TimedOut = context.Cause(runCtx) == errTimeout
	if j.cmd.ProcessState == nil {
		return res, fmt.Errorf("run %q: %w", s.Command, werr)
	}
	peak, err := j.ended(&res)
	if err != nil {
		return res, fmt.Errorf("run %q: %w", s.Command, err)
	}
	res.Starved = res.Exit != 0 && !res.TimedOut && starved(s.Memory, peak, res)
	return res, nil
}

// A job is a command that is ready to start, and how to learn what became of it.
type job struct {
	cmd   *exec.Cmd
	start func() error
	// ended fills in the exit code and signal once cmd was waited for, and returns
	// the peak of memory, 0 where nobody knows.
	ended func(*Result) (peak int64, err error)
}

// plainJob runs a command as a process group, without a helper.
func plainJob(ctx context.Context, s Spec, env []string) *job {
	argv := shellArgv(s)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, env
	ownGroup(cmd)
	cmd.WaitDelay = grace
	return &job{cmd: cmd, start: cmd.Start, ended: func(res *Result) (int64, error) {
		res.Exit, res.Signal = exitOf(cmd.ProcessState)
		return peakOf(cmd.ProcessState), nil
	}}
}

// starvation is what programs say when they get no memory: the C library, shells,
// compilers, C++, Python, Java, Node and Go.
var starvation = regexp.MustCompile(`(?i)\bout of (memory|space)\b|cannot allocate memory|memory exhausted|bad_alloc|\bMemoryError\b|OutOfMemoryError|allocation failed`)

// died is what shells say of a command that a signal ended. The exit code need not tell:
// it may have been one in a pipe or in $(...).
var died = regexp.MustCompile(`\b(Segmentation fault|Aborted|Bus error|Illegal instruction|Trace/breakpoint trap|Killed)\b`)

// starved judges a failed command. Nothing is killed at the bound: an allocation
// fails, and what comes of it is the program's own matter. So the bound is to blame
// when one process came near it, or when the command says so; and where the peak is not
// known (0), when a signal ended something, as it ends programs that forget to look.
func starved(bound, peak int64, res Result) bool {
	if bound == 0 {
		return false
	}
	signalled := res.Exit > 128 || died.Match(res.Output)
	return peak > bound/8*7 || peak == 0 && signalled || starvation.Match(res.Output)
}

// shellArgv has a shell run the command, below another that sets the limits: they
// then hold from the first instruction, and only root can raise them again. A
// limit in others is set if it can be.
func shellArgv(s Spec, others ...string) []string {
	argv := s.argv
	if argv == nil {
		argv = []string{"sh", "-c", s.Command}
	}
	script := strings.Join(others, "; ")
	if script != "" {
		script = "{ " + script + "; } 2>/dev/null; "
	}
	kib := ""
	if s.Memory > 0 {
		kib = strconv.FormatInt(max(1, s.Memory>>10), 10)
		script += `ulimit -d "$0" && `
	}
	if script == "" {
		return argv
	}
	return append([]string{"sh", "-c", script + `exec "$@"`, kib}, argv...)
}

// runGroup starts a job, copies what it prints to out and waits until it and
// everything in its process group is gone.
func runGroup(j *job, out io.Writer) error {
	// The kernel signals the death of the parent thread, not of the parent
	// process (prctl(2), PR_SET_PDEATHSIG): the thread has to stay.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	cmd := j.cmd
	cmd.Stdout, cmd.Stderr = w, w // a file, so that Wait does not wait for grandchildren
	err = j.start()
	w.Close()
	if err != nil {
		return err
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(out, r) // ends at the last writer's exit, or at the deadline below
	}()
	err = cmd.Wait()
	endGroup(cmd, drained)
	r.SetReadDeadline(time.Now().Add(drainLimit))
	<-drained
	return err
}

// endGroup ends what is left of cmd's group: it asks, and kills when the pipe
// is not closed by all within the grace.
func endGroup(cmd *exec.Cmd, drained <-chan struct{}) {
	if !signalGroup(cmd, terminate) {
		return // the group is empty, which is how most commands end
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
	}
	signalGroup(cmd, kill)
}
