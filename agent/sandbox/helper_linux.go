package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// A command runs below helpers: this very program, started again. The first
// supervises: it adopts what the command leaves running and ends it. At level
// Landlock a second one confines itself and becomes the command, because there
// is no other place between fork and exec for it. Both read a plan from a pipe
// that the one who started them keeps open: its end is the order to stop.

// helperMark is the first argument of a helper. Nobody types the control
// character in it by accident, and without the pipe a helper does nothing.
const helperMark = "sandbox\x1f"

// Descriptors of a helper.
const (
	planFD   = 3
	answerFD = 4
)

// A plan is what a helper is told.
type plan struct {
	Argv []string
	Env  []string
	Dir  string

	Confine *confinement // nil: run it as it is
}

// program finds the command in its own PATH.
func (p plan) program() (string, error) {
	for _, kv := range p.Env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			os.Setenv("PATH", path)
		}
	}
	return exec.LookPath(p.Argv[0])
}

// An ending is what a supervisor says of a command.
type ending struct {
	Exit   int
	Signal int
	Peak   int64
	Error  string // the command was not started
	Stayed int    // processes that could not be ended
}

// helps is true once Helper was called.
var helps atomic.Bool

// Helper does the work of a helper, and never returns, in a process that was
// started as one. A program that runs commands calls it before all else: only
// then can its commands be confined by landlock, and their leftovers ended. It
// also keeps descriptors that the program was given from all that it starts.
func Helper() {
	helps.Store(true)
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], helperMark) {
		keepDescriptors(planFD)
		return
	}
	keepDescriptors(answerFD + 1)
	runtime.LockOSThread() // credentials, filters and the death of a parent belong to threads
	switch role := strings.TrimPrefix(os.Args[1], helperMark); role {
	case roleSupervise:
		supervise()
	case roleConfine:
		unix.CloseOnExec(planFD)
		unix.CloseOnExec(answerFD)
		fmt.Fprint(os.NewFile(answerFD, "answer"), confineAndExec())
	case roleCheck:
		check(os.Args[2:])
	}
	os.Exit(exitHelper)
}

// keepDescriptors keeps those that this process was given, from a number on, from
// all that it starts: a directory that is open leads out of every sandbox.
func keepDescriptors(from uint) {
	if unix.CloseRange(from, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && uint(fd) >= from {
			unix.CloseOnExec(fd)
		}
	}
}

const (
	roleSupervise = "supervise"
	roleConfine   = "confine"
	roleCheck     = "check"
	exitHelper    = 125 // what a command exits with that cannot tell
)

// helperCommand is this program in a role. What it needs to know is in its plan.
func helperCommand(ctx context.Context, role string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", helperMark+role)
	cmd.Args[0] = "git-agent"
	cmd.Env = []string{}
	return cmd
}

// A helperProcess has a plan, and a pipe on which it answers. It lives until it
// is told to stop.
type helperProcess struct {
	cmd     *exec.Cmd
	text    []byte
	plan    *os.File // our end
	answer  *os.File // our end
	theirs  []*os.File
	closing sync.Once
}

func newHelper(cmd *exec.Cmd, p plan) (*helperProcess, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	planR, planW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answerR, answerW, err := os.Pipe()
	if err != nil {
		planR.Close()
		planW.Close()
		return nil, err
	}
	h := &helperProcess{cmd: cmd, text: text, plan: planW, answer: answerR, theirs: []*os.File{planR, answerW}}
	cmd.ExtraFiles = h.theirs // planFD and answerFD
	return h, nil
}

func (h *helperProcess) start() error {
	err := h.cmd.Start()
	for _, f := range h.theirs {
		f.Close()
	}
	if err != nil {
		h.stop()
		h.answer.Close()
		return err
	}
	go func() { // a pipe may hold less than the text; when the helper ends, so does this
		if _, err := h.plan.Write(h.text); err != nil {
			h.stop() // the helper would wait for the rest of its plan
		}
	}()
	return nil
}

// stop orders the helper to end all that runs below it.
func (h *helperProcess) stop() { h.closing.Do(func() { h.plan.Close() }) }

// supervise runs a command to its end, and then ends what it left.
func supervise() {
	unix.CloseOnExec(planFD)
	unix.CloseOnExec(answerFD)
	tell := func(e ending) {
		json.NewEncoder(os.NewFile(answerFD, "answer")).Encode(e)
		os.Exit(0)
	}
	life := os.NewFile(planFD, "plan")
	var p plan
	if err := json.NewDecoder(life).Decode(&p); err != nil {
		os.Exit(exitHelper)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		tell(ending{Error: fmt.Sprintf("become the reaper of what a command leaves: %v", err)})
	}
	pid, err := startPlanned(p)
	if err != nil {
		tell(ending{Error: err.Error()})
	}
	Harden() // not before: a child that cannot be looked into cannot be given a user namespace
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, life) // nothing more comes; the pipe ends with who holds it
		close(stop)
	}()
	e := await(pid, stop)
	e.Stayed = endDescendants()
	tell(e)
}

// startPlanned starts the command itself, or the helper that becomes it, in a
// session of its own: no terminal can be reached from there.
func startPlanned(p plan) (pid int, err error) {
	if p.Confine != nil {
		return startConfined(p)
	}
	program, err := p.program()
	if err != nil {
		return 0, err
	}
	cmd := &exec.Cmd{Path: program, Args: p.Argv, Env: p.Env, Dir: p.Dir}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil
}

// startConfined waits until the helper has become the command: its answer pipe
// then closes without a word.
func startConfined(p plan) (pid int, err error) {
	cmd := helperCommand(context.Background(), roleConfine)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = p.Confine.attributes()
	h, err := newHelper(cmd, p)
	if err != nil {
		return 0, err
	}
	if err := h.start(); err != nil {
		return 0, fmt.Errorf("confine the command: %w", err)
	}
	if text, _ := io.ReadAll(h.answer); len(text) > 0 {
		return 0, fmt.Errorf("confine the command: %s", text)
	}
	return cmd.Process.Pid, nil
}

// await reaps until the command itself is gone. When told to stop, it ends all
// that runs; the command's end is then what is waited for.
func await(pid int, stop <-chan struct{}) ending {
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-stop:
			signalAll(done)
		case <-done:
		}
	}()
	for {
		var ws unix.WaitStatus
		var usage unix.Rusage
		got, err := unix.Wait4(-1, &ws, 0, &usage)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return ending{Error: fmt.Sprintf("wait for the command: %v", err)}
		case got == pid && ws.Signaled():
			return ending{Exit: 128 + int(ws.Signal()), Signal: int(ws.Signal()), Peak: peakAbove(int64(usage.Maxrss))}
		case got == pid && ws.Exited():
			return ending{Exit: ws.ExitStatus(), Peak: peakAbove(int64(usage.Maxrss))}
		}
	}
}
