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

// A command runs below helpers. A helper is this program, started again. The first one
// supervises the command: it adopts and ends the processes that the command leaves running. At
// level Landlock a second helper confines itself and then executes the command, because Go
// offers no other place between fork and exec. A helper reads a plan from a pipe that its
// starter keeps open; when the pipe closes, the helper must stop.

// helperMark begins the first argument of a helper. Nobody types its control
// character by accident, and without the pipe a helper does nothing.
const helperMark = "sandbox\x1f"

// Descriptors of a helper.
const (
	planFD   = 3
	answerFD = 4
)

// A plan tells a helper what to run.
type plan struct {
	Argv []string
	Env  []string
	Dir  string

	Confine *confinement // nil is no confinement
	Filter  []byte       // input of the command on descriptor planFD; may be empty
}

// program looks up the command in the PATH of the plan.
func (p plan) program() (string, error) {
	for _, kv := range p.Env {
		if path, ok := strings.CutPrefix(kv, "PATH="); ok {
			os.Setenv("PATH", path)
		}
	}
	return exec.LookPath(p.Argv[0])
}

// An exitReport is a supervisor's report about the end of a command.
type exitReport struct {
	Exit   int
	Peak   int64
	Error  string // why the command was not started
	Stayed int    // processes that could not be ended
}

// helps says that Helper was called.
var helps atomic.Bool

// Helper must be called first in a program that runs commands: only then can commands be
// confined by landlock and their leftover processes ended. In a process that was started as a
// helper, Helper does the helper's work and never returns. It also keeps inherited descriptors
// from child processes.
//
// A helper ends with syscall.Exit, because os.Exit waits for a second in a program with the
// race detector.
func Helper() {
	helps.Store(true)
	if len(os.Args) < 2 || !strings.HasPrefix(os.Args[1], helperMark) {
		keepDescriptors(planFD)
		return
	}
	keepDescriptors(answerFD + 1)
	runtime.LockOSThread() // credentials, filters and parent death signals belong to threads
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
	syscall.Exit(exitHelper)
}

// keepDescriptors keeps inherited descriptors, beginning with number from, out of all child
// processes: an open directory leads out of every sandbox.
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
	exitHelper    = 125 // exit code of a helper that cannot report an error
)

// helperCommand returns a command that starts this program as a helper in a role.
func helperCommand(ctx context.Context, role string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "/proc/self/exe", helperMark+role)
	cmd.Args[0] = "git-agent"
	cmd.Env = []string{}
	return cmd
}

// A helperProcess is a running helper with the pipes for its plan and its answer. It lives
// until stop.
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
	go func() { // the text may not fit into the pipe; this goroutine ends with the helper
		if _, err := h.plan.Write(h.text); err != nil {
			h.stop() // the helper would wait for the rest of its plan
		}
	}()
	return nil
}

// hurry makes the helper leave out SIGTERM when it is told to stop.
func (h *helperProcess) hurry() { h.plan.Write([]byte{'\n'}) }

// stop makes the helper end everything that runs below it.
func (h *helperProcess) stop() { h.closing.Do(func() { h.plan.Close() }) }

// supervise runs a command to its end, and then ends the processes that the command left.
func supervise() {
	unix.CloseOnExec(planFD)
	unix.CloseOnExec(answerFD)
	report := func(e exitReport) {
		json.NewEncoder(os.NewFile(answerFD, "answer")).Encode(e)
		syscall.Exit(0)
	}
	life := os.NewFile(planFD, "plan")
	var p plan
	in := json.NewDecoder(life)
	if err := in.Decode(&p); err != nil {
		syscall.Exit(exitHelper)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		report(exitReport{Error: fmt.Sprintf("become the reaper of what a command leaves: %v", err)})
	}
	pid, err := startPlanned(p)
	if err != nil {
		report(exitReport{Error: err.Error()})
	}
	Harden() // not earlier: an undumpable process cannot give a child a user namespace
	stop := make(chan unix.Signal, 1)
	go func() {
		// This returns when the holder closes the pipe or dies.
		hurry, _ := io.Copy(io.Discard, io.MultiReader(in.Buffered(), life))
		if hurry > 0 {
			stop <- unix.SIGKILL
		} else {
			stop <- unix.SIGTERM
		}
	}()
	e := await(pid, stop)
	e.Stayed = endDescendants()
	report(e)
}

// startPlanned starts the command, or the helper that becomes the command, in a new session
// without a terminal.
func startPlanned(p plan) (pid int, err error) {
	if p.Confine != nil {
		return startConfined(p)
	}
	program, err := p.program()
	if err != nil {
		return 0, err
	}
	cmd := &exec.Cmd{Path: program, Args: p.Argv, Env: p.Env, Dir: p.Dir}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if p.Filter != nil {
		pipe, err := filled(p.Filter)
		if err != nil {
			return 0, err
		}
		defer pipe.Close()
		cmd.ExtraFiles = []*os.File{pipe}
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return cmd.Process.Pid, nil
}

// startConfined starts the helper that becomes the command. It waits until the helper's answer
// pipe closes: an empty answer means that the command has started.
func startConfined(p plan) (pid int, err error) {
	cmd := helperCommand(context.Background(), roleConfine)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
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

// await reaps processes until the command itself has ended. When a signal comes from
// stop, it ends all processes, beginning with that signal, and then waits for the command.
func await(pid int, stop <-chan unix.Signal) exitReport {
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case first := <-stop:
			signalAll(first, done)
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
			return exitReport{Error: fmt.Sprintf("wait for the command: %v", err)}
		case got == pid && ws.Signaled():
			return exitReport{Exit: 128 + int(ws.Signal()), Peak: peakAbove(int64(usage.Maxrss))}
		case got == pid && ws.Exited():
			return exitReport{Exit: ws.ExitStatus(), Peak: peakAbove(int64(usage.Maxrss))}
		}
	}
}
