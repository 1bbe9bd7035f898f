package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"git-agent/cmd/git-agent/app"
)

// program is a running git-agent: this test's own binary under that name.
type program struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   io.ReadCloser
	stderr bytes.Buffer
}

// startProgram runs git-agent in a repository whose HEAD fixes HEAD~1.
func startProgram(t *testing.T, args ...string) *program {
	t.Helper()
	p := prepareProgram(t, args...)
	p.start(t)
	return p
}

// start starts it with pipes.
func (p *program) start(t *testing.T) {
	t.Helper()
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if p.pipe, err = p.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(p.pipe)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
}

// prepareProgram makes the repository and the command, and starts nothing.
func prepareProgram(t *testing.T, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"XDG_CACHE_HOME="+filepath.Join(dir, ".cache"), "XDG_STATE_HOME="+filepath.Join(dir, ".state"), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	repo := filepath.Join(dir, "r")
	script := `git init -q "$1" && cd "$1" && for n in 1 2 3; do echo "int a = $n;" >a.c; git add a.c; git commit -q -m "a is $n"; done`
	setup := exec.Command("sh", "-ec", script, "sh", repo)
	setup.Env = env
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("set up: %v\n%s", err, out)
	}
	p := &program{cmd: exec.Command(os.Args[0])}
	p.cmd.Args = append([]string{"git-agent"}, args...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr = repo, env, &p.stderr
	return p
}

// exitCode waits for the end.
func (p *program) exitCode(t *testing.T) int {
	t.Helper()
	err := p.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.cmd.ProcessState.ExitCode()
}

// With --stdin, an answer is complete before the next question; an interrupt then
// keeps the answer, exits with 130 and prints how to continue.
func TestInterruptKeepsAnswers(t *testing.T) {
	p := startProgram(t, "szz", "--algorithm=b", "--stdin", "--format=%s")
	io.WriteString(p.in, "HEAD\n")
	line, err := p.out.ReadString('\n')
	if err != nil || line != "a is 2\n" {
		t.Fatalf("first answer %q, %v; stderr %s", line, err, &p.stderr)
	}
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := p.exitCode(t); code != app.ExitInterrupted {
		t.Errorf("exits with %d; stderr %s", code, &p.stderr)
	}
	if got := p.stderr.String(); !strings.HasPrefix(got, app.Heard) {
		t.Errorf("stderr is %q, want %q at its beginning", got, app.Heard)
	}
	want := "hint: git agent szz --skip=1 --algorithm=b --stdin --format=%s\n"
	if got := p.stderr.String(); !strings.HasSuffix(got, want) {
		t.Errorf("stderr is %q, want %q at its end", got, want)
	}
}

// An investigation interrupted before its answer has recorded steps: the hint has
// the command that continues it.
func TestInterruptOfModelSaysHowToGoOn(t *testing.T) {
	asked := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	t.Setenv("GIT_AGENT_MODEL", "slow-1")
	t.Setenv("GIT_AGENT_BASE_URL", server.URL+"/v1")
	report := filepath.Join(t.TempDir(), "report")
	text := "Program received signal SIGSEGV, Segmentation fault.\n#0  0x0000000000401136 in main () at a.c:1\n"
	if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"szz", "--skip=0", "HEAD"},
		{"crash", "--runs=1", report},
		{"fix", "--sandbox=none", "--no-coverage", "--test=false", "--at=a.c:1"},
	} {
		t.Run(args[0], func(t *testing.T) {
			events := filepath.Join(t.TempDir(), "events")
			args = append(args, "--events="+events)
			p := startProgram(t, args...)
			<-asked
			if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := p.exitCode(t); code != app.ExitInterrupted {
				t.Errorf("exits with %d; stderr %s", code, &p.stderr)
			}
			if got := p.stderr.String(); !strings.HasSuffix(got, "hint: git agent "+strings.Join(args, " ")+"\n") {
				t.Errorf("stderr is %q", got)
			}
			if text, err := os.ReadFile(events); err != nil || !strings.HasSuffix(string(text), `"event":"end","error":"interrupted"}`+"\n") {
				t.Errorf("events are %s, %v", text, err)
			}
		})
	}
}

// A reader that closes the pipe early is no error.
func TestClosedPipeIsSuccess(t *testing.T) {
	p := startProgram(t, "szz", "--algorithm=b", "--stdin", "--json")
	p.pipe.Close()
	io.WriteString(p.in, "HEAD\nHEAD~1\n")
	p.in.Close()
	if code := p.exitCode(t); code != app.ExitFound || p.stderr.Len() > 0 {
		t.Errorf("exits with %d; stderr %s", code, &p.stderr)
	}
}

// Closing the terminal ends the work like Ctrl-C, but not under nohup.
func TestHangUp(t *testing.T) {
	// A child inherits an ignored SIGHUP, as when these tests run under nohup,
	// but no handler.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP)
	defer signal.Stop(caught)
	for _, nohup := range []bool{false, true} {
		p := prepareProgram(t, "szz", "--algorithm=b", "--stdin", "--format=%s")
		if nohup {
			p.cmd.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`}, p.cmd.Args...)
			p.cmd.Args[3] = filepath.Join(filepath.Dir(p.cmd.Dir), "git-agent")
			if err := os.Symlink(os.Args[0], p.cmd.Args[3]); err != nil {
				t.Fatal(err)
			}
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Fatal(err)
			}
			p.cmd.Path = sh
		}
		p.start(t)
		for range 2 {
			io.WriteString(p.in, "HEAD\n")
			if line, err := p.out.ReadString('\n'); err != nil || line != "a is 2\n" {
				t.Fatalf("answer %q, %v; stderr %s", line, err, &p.stderr)
			}
			if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			if !nohup {
				break
			}
		}
		want := app.ExitInterrupted
		if nohup {
			p.in.Close()
			want = app.ExitFound
		}
		if code := p.exitCode(t); code != want {
			t.Errorf("exits with %d, not %d; stderr %s", code, want, &p.stderr)
		}
	}
}

// brokenPipe is a stream whose reader has left.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// Help prints no error if its reader has left.
func TestHelpForNobody(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"szz", "-h"}, {"--version"}, {"version"}} {
		var errs bytes.Buffer
		if code := run(t.Context(), os.LookupEnv, strings.NewReader(""), brokenPipe{}, &errs, args); code != app.ExitFound || errs.Len() > 0 {
			t.Errorf("%v exits with %d: %s", args, code, &errs)
		}
	}
}
