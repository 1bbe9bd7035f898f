//go:build linux

package scorecard

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"git-agent/agent/model/modeltest"

	"golang.org/x/sys/unix"
)

// slowGit replaces git. A command that searches a history hangs for an hour and
// reports on the pipe UP that it has begun. TRAP may make it ignore signals.
const slowGit = `#!/bin/sh
for word in "$@"; do
	case $word in
	log|blame|grep|rev-list|commit-graph) eval "$TRAP"; echo up >"$UP"; exec sleep 3600;;
	esac
done
exec "$REAL" "$@"
`

// A wait is a command in which the program waits for something that never comes.
type wait struct {
	name  string
	args  []string
	prep  func(*testing.T, *stage)
	stdin bool // standard input stays open
	trap  bool // git ignores signals
	bwrap bool
}

func waits() []wait {
	verify := "--verify-cmd=echo up >\"$UP\"; exec sleep 3600"
	all := []wait{
		{name: "git log", args: []string{"szz", "--no-cache", "--json"}, prep: slow},
		{name: "git log that ignores signals", args: []string{"szz", "--no-cache", "--json"}, prep: slow, trap: true},
		{name: "git of eval --jobs", args: evaluate, prep: func(t *testing.T, s *stage) { withCases(t, s); slow(t, s) }},
		{name: "git of doctor --fix", args: []string{"doctor", "--fix"}, prep: slow},
		{name: "git of a tool", args: []string{"tool", "git_grep", `{"pattern":"a","commit":"HEAD"}`}, prep: slow},
		{name: "git of mcp", args: []string{"mcp"}, prep: slow, stdin: true},
		{name: "answer of the model", args: askModel, prep: silent},
		{name: "key command", args: askModel, prep: slowKey},
		{name: "command, none", args: []string{"szz", "--no-cache", "--algorithm=b", "--sandbox=none", verify, relayFix}},
	}
	if bwrapWorks() {
		// A named pipe is visible inside the sandbox only below the scratch directory.
		all = append(all, wait{name: "command, bwrap", bwrap: true, args: []string{"szz", "--no-cache", "--algorithm=b", "--sandbox=bwrap", "--verify-cmd=exec sleep 3600", relayFix}})
	}
	return all
}

// slow puts slowGit first in PATH.
func slow(t *testing.T, s *stage) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(string(s.home), "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.WriteFile(filepath.Join(bin, "git"), []byte(slowGit), 0o700)); err != nil {
		t.Fatal(err)
	}
	// The program passes only git's own variables on to git.
	s.env = append(s.env, "PATH="+bin+":"+os.Getenv("PATH"))
	script := strings.NewReplacer("$UP", s.fifo(), `"$REAL"`, real, `eval "$TRAP"`, `. "`+bin+`/trap"`).Replace(slowGit)
	if err := errors.Join(os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700), os.WriteFile(filepath.Join(bin, "trap"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// deaf makes slowGit ignore every signal that can be ignored.
func deaf(t *testing.T, s *stage) {
	if err := os.WriteFile(filepath.Join(string(s.home), "bin", "trap"), []byte("trap '' HUP INT QUIT TERM\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// silent configures a model that never replies.
func silent(t *testing.T, s *stage) {
	over := make(chan struct{})
	server := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		if f, err := os.OpenFile(s.fifo(), os.O_WRONLY, 0); err == nil {
			io.WriteString(f, "up\n")
			f.Close()
		}
		<-over
		return modeltest.Say("")
	})
	t.Cleanup(func() { close(over) }) // must run before the server closes, which waits for its replies
	s.env = append(s.env, "GIT_AGENT_MODEL=m1", "GIT_AGENT_BASE_URL="+server.URL)
}

// slowKey configures an API key command that hangs.
func slowKey(t *testing.T, s *stage) {
	s.git(t, s.repo, "config", "--global", "agent.apiKeyCommand", "echo up >"+s.fifo()+"; exec sleep 3600")
	s.env = append(s.env, "GIT_AGENT_MODEL=m1", "GIT_AGENT_BASE_URL=https://model.example/v1")
}

// fifo returns the pipe on which the beginning of a wait is reported.
func (s *stage) fifo() string { return filepath.Join(string(s.home), "tmp", "up") }

// An ending is the signal that is sent to a waiting program, with the exit code that
// it must have.
type ending struct {
	name   string
	signal syscall.Signal
	group  bool // the signal goes to the process group, as from a terminal
	again  bool // the signal is repeated until the program has ended
	code   int
}

var endings = []ending{
	{"Ctrl-C", syscall.SIGINT, true, false, exitInterrupted},
	{"Ctrl-C twice", syscall.SIGINT, true, true, exitInterrupted},
	{"SIGTERM", syscall.SIGTERM, false, false, exitInterrupted},
	{"SIGHUP of a terminal", syscall.SIGHUP, true, false, exitInterrupted},
	{"SIGKILL", syscall.SIGKILL, false, false, -1},
	{"Ctrl-\\", syscall.SIGQUIT, true, false, 2},
}

// A waiting program ends when it gets a signal, with the exit code of the manual. No
// process that it started continues.
func TestKillsSignals(t *testing.T) {
	for i, w := range waits() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			for j, e := range endings {
				if !*full && (i+j)%6 != 0 {
					continue
				}
				if w.name == "command, none" && e.code != exitInterrupted && e.signal != syscall.SIGKILL {
					continue
				}
				vector := fmt.Sprintf("waits for the %s, %s", w.name, e.name)
				took, err := endWait(t, w, e)
				if err != nil {
					broke(t, kills, vector, "%v", err)
					continue
				}
				held(kills)
				dealt("signal while it waits", e.name)
				t.Logf("%s: %v", vector, took.Round(time.Millisecond))
			}
		})
	}
}

// endWait starts the program, ends it while it waits, and returns what is wrong.
func endWait(t *testing.T, w wait, e ending) (time.Duration, error) {
	t.Helper()
	s := newStage(t)
	if w.prep != nil {
		w.prep(t, s)
	}
	if w.trap {
		deaf(t, s)
	}
	up, err := s.listenUp()
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	var out, errs bytes.Buffer
	cmd := exec.Command(program)
	for _, arg := range w.args {
		cmd.Args = append(cmd.Args, strings.ReplaceAll(arg, "$UP", s.fifo()))
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.repo, s.environ(s.env...), &out, &errs
	cmd.SysProcAttr, cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, leaveLimit
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if w.stdin {
		io.WriteString(in, mcpTalk)
	} else {
		in.Close()
	}
	if err := s.begun(up, w.bwrap); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		s.alone()
		return 0, fmt.Errorf("%w: %s", err, errs.String())
	}
	defer s.alone() // no process of this vector continues, even if it failed
	began := time.Now()
	e.send(cmd.Process.Pid)
	cmd.Wait() // the code tells
	took := time.Since(began)
	if code := cmd.ProcessState.ExitCode(); code != e.code {
		return took, fmt.Errorf("exit %d, not %d: %s", code, e.code, errs.String())
	}
	if e.signal != syscall.SIGQUIT && strings.Contains(errs.String(), "goroutine ") {
		return took, fmt.Errorf("it panicked: %s", errs.String())
	}
	return took, s.alone()
}

// send sends the signal, repeatedly if the ending says so, and kills a program that
// does not end.
func (e ending) send(pid int) {
	target := pid
	if e.group {
		target = -pid
	}
	for range 40 {
		syscall.Kill(target, e.signal)
		if !e.again || awaitExit(pid, 250*time.Millisecond) {
			break
		}
	}
	if !awaitExit(pid, leaveLimit) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// listenUp creates the pipe on which the beginning of a wait is reported. It opens it
// for reading and writing, so that neither side waits for the other.
func (s *stage) listenUp() (*os.File, error) {
	if err := syscall.Mkfifo(s.fifo(), 0o600); err != nil {
		return nil, err
	}
	return os.OpenFile(s.fifo(), os.O_RDWR|syscall.O_NONBLOCK, 0)
}

// begun returns when the program has begun to wait. A command in bubblewrap cannot
// report this, so begun looks for it among the processes.
func (s *stage) begun(up *os.File, bwrap bool) error {
	up.SetReadDeadline(time.Now().Add(time.Minute))
	if !bwrap {
		if _, err := bufio.NewReader(up).ReadString('\n'); err != nil {
			return fmt.Errorf("nothing is waited for: %w", err)
		}
		return nil
	}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		all, _ := os.ReadDir("/proc")
		for _, e := range all {
			// Inside bubblewrap the home and the directory have other names.
			line, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			environ, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
			if string(line) == "sleep\x003600\x00" && bytes.Contains(environ, []byte(string(s.home))) {
				return nil
			}
		}
		pids := s.processes()
		if len(pids) == 0 {
			break
		}
		awaitExit(pids[0], 20*time.Millisecond) // it does not exit; this only saves processor time
	}
	return errors.New("the command was not seen in its sandbox")
}

// A program that is stopped and continued answers as if it had not been.
func TestKillsStopAndGoOn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	listen(t, s)
	s.keep(t)
	want := s.must(t, askModel)
	for n := 1; n <= 5; n++ {
		if !*full && n != 2 {
			continue
		}
		s.reset(t)
		s.forget()
		got, stopped := s.pause(t, n)
		vector := fmt.Sprintf("stopped at request %d and continued", n)
		switch {
		case !stopped:
			broke(t, kills, vector, "it did not stop")
		case got.code != want.code || masked(got.stdout) != masked(want.stdout):
			broke(t, kills, vector, "exit %d; %s; stderr %s", got.code, parting(masked(got.stdout), masked(want.stdout)), got.stderr)
		default:
			held(kills)
			dealt("TSTP, CONT", "szz with a model")
		}
	}
}

// pause stops the program at a request, as Ctrl-Z does, and continues it. After a minute it is
// killed, and then counts as not stopped.
func (s *stage) pause(t *testing.T, at int) (got outcome, stopped bool) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(program, askModel...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.repo, s.environ(s.env...), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = leaveLimit
	asked, late := make(chan struct{}), make(chan struct{})
	s.server.killAt(at, func() { close(asked) })
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); close(late) }).Stop()
	select {
	case <-asked:
	case <-late:
	}
	syscall.Kill(-cmd.Process.Pid, syscall.SIGTSTP)
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT, nil)
	stopped = err == nil && info.Code == 5 // CLD_STOPPED
	syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT)
	cmd.Wait() // the code tells
	return outcome{stdout: out.String(), stderr: errs.String(), code: cmd.ProcessState.ExitCode()}, stopped
}

// If the reader of its output exits, the program ends without an error message.
func TestKillsClosedPipe(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	withCases(t, s)
	for _, args := range []string{"szz --json HEAD~5..", "szz HEAD~5..", "eval szz cases.jsonl --repos=.. --algorithm=b --json", "doctor", "man szz", "completion bash", "cache stats", "--help", "tool git_show '{\"commit\":\"HEAD\"}'"} {
		for lines := range 2 {
			if !*full && !strings.HasPrefix(args, "szz") && args != "--help" {
				continue
			}
			got := s.exec(t, command{dir: s.repo, env: s.env}, "bash", "-c", fmt.Sprintf("'%s' %s | head -n %d; exit ${PIPESTATUS[0]}", program, args, lines))
			vector := fmt.Sprintf("%s | head -n %d", args, lines)
			if got.code > 1 || strings.Contains(got.stderr, "fatal") || strings.Contains(got.stderr, "panic") {
				broke(t, kills, vector, "exit %d: %s", got.code, got.stderr)
			} else if err := s.alone(); err != nil {
				broke(t, kills, vector, "%v", err)
			} else {
				held(kills)
				dealt("reader leaves", "| head")
			}
		}
	}
}
