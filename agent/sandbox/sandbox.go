// Package sandbox runs the commands of a project: its builds and its tests.
// Only this package and gitext, which runs git, start programs.
//
// A caller makes a [Scratch] directory, fills it, and calls [Run] with the
// user's command. A [Kept] directory outlives the run that fills it. Promises:
//
//   - The command comes from the user, and never contains text of a repository. It runs by
//     `sh -c`, without a terminal and without input. A program of git-agent's choice, such as a
//     debugger, runs by its arguments ([Spec.Argv]), and may exchange data with the caller
//     ([Spec.Stdin]).
//   - The command gets only the variables of an allow-list, and so no key. After [Harden] it
//     cannot read the other variables from this process. After [Helper] it inherits no open file
//     of this process.
//   - The command ends. At its time limit, or when the context or this process ends, all its
//     processes get SIGTERM and after a grace period SIGKILL. The same happens to processes that
//     are still running when the command exits. Its output is bounded.
//   - A level of isolation counts only if this program, running inside of it, found no way out
//     ([Probe]). The [Result] names the used level. There is no fallback to [None]: if no level
//     works, nothing runs.
//
// The network is withheld by a namespace (bwrap.go, confine_linux.go), and where the kernel allows
// none, by refused sockets (seccomp_linux.go, landlock_linux.go).
//
// At levels [Bwrap] and [Landlock] a command has no capabilities and no way to gain any,
// creates no namespaces, has no network unless the caller allows it, and reaches no Unix socket
// of other programs. It can read the system's programs and libraries, a list of toolchains
// below the home directory (visible_paths.go), and the paths that the caller names. It can
// write the directories of its [Spec] and a temporary home directory. Core dumps are off, and a
// file has at most 16 GiB.
//
// Limits: at level None a command has all rights of the user. Landlock hides neither the
// command lines of other processes nor the existence of a file with a known name. Its commands
// open no Unix socket by name, and have no private /tmp or /dev/shm. If the kernel allows no
// namespaces, Landlock does not protect the modes, owners and times of the user's other files,
// loopback sockets do not work, and before Linux 6.12 signals reach the user's other processes;
// Isolation.Limits lists the limits of this machine. Programs of another instruction set, such
// as 32-bit ones, do not run at these levels. Memory is limited on request (see [Spec]), and so
// is disk space (see [Disk]). Processor time is not limited; the number of processes is limited
// at level Bwrap, except for root. On systems other than Linux None is the only level, and a
// process that leaves the group (setsid) survives.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/pattern"
)

// grace is the time for a process group to end after SIGTERM.
const grace = 2 * time.Second

// drainLimit is the time for reading output after a group was killed. Only a process that left
// the group can keep the pipe open that long.
const drainLimit = 500 * time.Millisecond

// defaultMaxOutput is the number of bytes that are kept at each end of a command's output.
const defaultMaxOutput = 32 << 10

// errTimeout is the cause of the end of a context by Spec.Timeout.
var errTimeout = errors.New("time limit")

// A Spec describes a command and its limits.
type Spec struct {
	Dir     string // working directory; writable
	Command string // for sh -c, in the user's words

	Env []string // names of further variables to pass on
	Set []string // NAME=value pairs of the caller

	Timeout   time.Duration // 0 is none
	MaxOutput int           // bytes kept at each end; 0 is 32 KiB
	// Memory bounds the writable memory of each process in bytes; 0 is no bound.
	// It sets RLIMIT_DATA, which since Linux 4.7 counts all private memory; other
	// systems count the heap only, or nothing. Reserved address space does not
	// count, so Go, Java and Node run; programs built with a sanitizer map
	// terabytes of shadow memory and do not start. Therefore there is no bound by
	// default.
	Memory int64
	// Disk bounds the bytes that the command adds to the disk; nil is no bound.
	Disk *Disk

	Sandbox  Level
	Writable []string // directories besides Dir that may be written
	Readable []string // paths that may be read besides the system and toolchains
	Hidden   []string // paths below readable ones that must not be read; without effect at level none
	Covered  []Cover  // further ones, of which some have something else in their place
	// Cache is the directory for build caches, as the user's are read-only. The command's home
	// directory is Home, or Cache.home if Home is "". Each Run makes it anew, so commands that
	// run at the same time and share a cache need different homes. No command may be able to
	// write in Home's parent.
	Cache   string
	Home    string
	Network bool // leave the network on at levels that turn it off

	// Argv is the path of a program and its arguments. It runs instead of Command and without a
	// shell.
	Argv []string

	// Stdin is the input of the program in Argv; nil is no input. Stdout receives the program's
	// standard output; if it is nil, standard output is part of the Result. Run closes both
	// after it started the program.
	Stdin, Stdout *os.File
}

// closeStreams closes this process's copies of Stdin and Stdout.
func (s Spec) closeStreams() {
	for _, f := range []*os.File{s.Stdin, s.Stdout} {
		if f != nil {
			f.Close() // the command has its own copy
		}
	}
}

// what returns the command's name for errors.
func (s Spec) what() string {
	if len(s.Argv) > 0 {
		return s.Argv[0]
	}
	return s.Command
}

// A Result says how a command ended.
type Result struct {
	// Exit is the exit code in the form of a shell: 128+n for signal n.
	Exit     int
	TimedOut bool
	Starved  bool   // the command failed, probably because it reached Spec.Memory
	Full     string // a clause that says why Spec.Disk ended the command; "" if it did not
	Output   []byte // stdout and stderr as they came; see Omitted
	Omitted  int64  // bytes left out of the middle of Output
	Level    Level  // the used level: Bwrap, Landlock or None
	Stayed   int    // number of processes that the command left running and that could not be ended
}

// Run runs one command to its end. The failure of a command is a result and no error. An error
// means that the command could not be run or that ctx ended.
func Run(ctx context.Context, s Spec) (Result, error) {
	defer s.closeStreams()
	isolation, err := Probe(ctx, s.Sandbox)
	if err != nil {
		return Result{}, err
	}
	return runAt(ctx, s, isolation)
}

// Program returns the path of an installed program.
func Program(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not installed", name)
	}
	return filepath.Abs(path)
}

// runAt runs a command at a level that works, or that is being tested.
func runAt(ctx context.Context, s Spec, isolation Isolation) (Result, error) {
	env, err := environ(os.LookupEnv, os.Environ(), s, isolation.Level)
	if err != nil {
		return Result{}, err
	}
	runCtx, cancel := s.limited(ctx)
	defer cancel()
	j, err := newJob(runCtx, s, isolation, env)
	if err != nil && ctx.Err() == nil && context.Cause(runCtx) == errTimeout {
		return notStarted(isolation.Level), nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("run %q: %w", s.what(), err)
	}
	out := newBounded(s.MaxOutput)
	werr := runGroup(j, s, out)
	res := Result{Level: isolation.Level}
	res.Output, res.Omitted = out.bytes()
	if err := ctx.Err(); err != nil {
		return res, context.Cause(ctx)
	}
	res.TimedOut, res.Full = context.Cause(runCtx) == errTimeout, fullOf(runCtx)
	if j.cmd.ProcessState == nil && res.TimedOut {
		return notStarted(isolation.Level), nil
	}
	if j.cmd.ProcessState == nil {
		return res, fmt.Errorf("run %q: %w", s.what(), werr)
	}
	peak, err := j.ended(&res)
	if err != nil {
		return res, fmt.Errorf("run %q: %w", s.what(), err)
	}
	res.Starved = res.Exit != 0 && !res.TimedOut && res.Full == "" && starved(s.Memory, peak, res)
	return res, nil
}

// notStarted is the result of a command whose time was over before it started, as on a loaded machine.
func notStarted(level Level) Result { return Result{Exit: exitKilled, TimedOut: true, Level: level} }

// exitKilled is the exit code of a command that was ended at its time limit.
const exitKilled = 128 + 9

// A job is a command that is ready to start.
type job struct {
	cmd   *exec.Cmd
	start func() error
	// depth is the number of generations from cmd down to the command's first process; see
	// continueStopped.
	depth int
	// ended sets the exit code after cmd has ended. It returns the peak memory, 0 if unknown.
	ended func(*Result) (peak int64, err error)
}

// plainJob runs a command as a process group, without a helper.
func plainJob(ctx context.Context, s Spec, env []string) *job {
	argv := shellArgv(s)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.Dir, env
	ownGroup(ctx, cmd)
	cmd.WaitDelay = grace
	return &job{cmd: cmd, start: cmd.Start, ended: func(res *Result) (int64, error) {
		res.Exit = exitOf(cmd.ProcessState)
		return peakOf(cmd.ProcessState), nil
	}}
}

// starvation matches error messages about a lack of memory: the C library, shells, compilers,
// C++, Python, Java, Node and Go.
var starvation = pattern.Lazy(
	`(?i)\bout of (memory|space)\b|cannot allocate memory|memory exhausted|bad_alloc|\bMemoryError\b|OutOfMemoryError|allocation failed`,
)

// died matches messages of shells about a command that a signal ended. The exit code may hide
// the signal, if the command was in a pipe or in $(...).
var died = pattern.Lazy(`\b(Segmentation fault|Aborted|Bus error|Illegal instruction|Trace/breakpoint trap|Killed)\b`)

// starved reports whether a failed command probably reached the memory bound. The kernel kills
// no process at the bound: an allocation fails, and the program decides how to go on. So
// starved is true if a process came near the bound, or if the output reports a lack of memory.
// If the peak is unknown (0), starved is also true if a signal ended a process, because
// programs that do not check allocations crash.
func starved(bound, peak int64, res Result) bool {
	if bound == 0 {
		return false
	}
	signalled := res.Exit > 128 || died().Match(res.Output)
	return peak > bound/8*7 || peak == 0 && signalled || starvation().Match(res.Output)
}

// shellArgv runs the command below a shell that sets the limits, so that they hold from the
// first instruction; only root can raise them again. A failure to set a limit in others is
// ignored.
func shellArgv(s Spec, others ...string) []string {
	argv := s.Argv
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

// runGroup starts a job, copies its output to out and waits until its whole
// process group has ended.
func runGroup(j *job, s Spec, out io.Writer) error {
	// The parent death signal is sent when the parent thread ends, not the parent
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
	if s.Stdin != nil {
		cmd.Stdin = s.Stdin
	}
	if s.Stdout != nil {
		cmd.Stdout = s.Stdout
	}
	err = j.start()
	w.Close()
	s.closeStreams()
	if err != nil {
		return err
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(out, r) // ends at the last writer's exit, or at the deadline below
	}()
	endWatch := continueStopped(cmd, j.depth)
	err = cmd.Wait()
	endWatch()
	endGroup(cmd, drained)
	r.SetReadDeadline(time.Now().Add(drainLimit))
	<-drained
	return err
}

// endGroup ends the remaining processes of cmd's group. It sends SIGTERM, and SIGKILL if the
// pipe is still open after the grace period.
func endGroup(cmd *exec.Cmd, drained <-chan struct{}) {
	if !signalGroup(cmd, terminate) {
		return // the group is empty, as after most commands
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-drained:
	case <-timer.C:
	}
	signalGroup(cmd, kill)
}
