//go:build unix

package gitcmd

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hang is a git that starts a child, prints a line and never ends. Both keep
// stdout open, and more, a shell's redirection.
func hang(trap, more string) Call {
	return Call{Args: []string{"-c", "alias.hang=!" + trap + " exec " + more + " 8>/dev/null; sleep 600 & echo up; wait; sleep 600", "hang"}}
}

func TestCancelKillsTheGroup(t *testing.T) {
	// The end of a context must end git and all of its children, even one that
	// ignores the interrupt, and the call must return the reason.
	for name, trap := range map[string]string{"polite": "", "stubborn": "trap '' INT;"} {
		t.Run(name, func(t *testing.T) {
			r := someGit(t)
			fifo := filepath.Join(t.TempDir(), "fifo")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			gone := make(chan error)
			go func() {
				f, err := os.Open(fifo)
				if err == nil {
					_, err = io.Copy(io.Discard, f) // ends when the last process that holds it has
				}
				gone <- err
			}()
			ctx, cancel := context.WithCancel(t.Context())
			err := r.Stream(ctx, hang(trap, "9>"+fifo), func(out *bufio.Reader) error {
				_, err := out.ReadString('\n')
				cancel()
				if err == nil {
					_, err = io.Copy(io.Discard, out)
				}
				return err
			})
			var gitErr *Error
			if !errors.As(err, &gitErr) || !errors.Is(err, context.Canceled) || gitErr.Exit != -1 {
				t.Errorf("got %v, want a cancelled *Error", err)
			}
			if err := <-gone; err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTimeoutIsTyped(t *testing.T) {
	// A call that exceeds its time must return ErrTimeout with the duration and
	// advice.
	r := someGit(t)
	c := hang("", "")
	c.Timeout = 100 * time.Millisecond
	_, err := r.Output(t.Context(), c)
	var gitErr *Error
	if !errors.Is(err, ErrTimeout) || !errors.As(err, &gitErr) || !strings.Contains(err.Error(), "git took too long: no answer for 100ms") || gitErr.Hint == "" {
		t.Errorf("got %v, want ErrTimeout", err)
	}
}

func TestSlowConsumerIsNoTimeout(t *testing.T) {
	// The reader's own time does not count: the clock stops between reads.
	w := newWatchedReader(strings.NewReader("text"), time.Hour, time.Hour, func(error) {})
	if _, err := w.Read(make([]byte, 1)); err != nil || w.timer.Stop() {
		t.Errorf("the clock runs after a read: %v", err)
	}
}

func TestStoppedReaderIsSuccess(t *testing.T) {
	// A reader that has seen enough ends git at once and without an error.
	r := someGit(t)
	err := r.Stream(t.Context(), hang("", ""), func(out *bufio.Reader) error {
		_, err := out.ReadString('\n')
		return errors.Join(err, ErrStop)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	// More output than allowed is ErrOutputLimit, and git is ended.
	r := someGit(t)
	_, err := r.Output(t.Context(), Call{Args: []string{"-c", "alias.yes=!yes", "yes"}, max: 1000})
	if !errors.Is(err, ErrOutputLimit) {
		t.Errorf("got %v, want ErrOutputLimit", err)
	}
}

func TestErrorTellsAll(t *testing.T) {
	// The error of a failed call has git's arguments, its exit code and the end
	// of its stderr, and its text is like git's.
	r := someGit(t)
	_, err := r.Output(t.Context(), Call{Args: []string{"-c", "alias.die=!yes noise | head -c 100000 >&2; { echo; echo 'fatal: the end'; } >&2; exit 42; :", "die"}})
	var gitErr *Error
	if !errors.As(err, &gitErr) {
		t.Fatalf("got %v", err)
	}
	if gitErr.Exit != 42 || gitErr.Args[2] != "die" || len(gitErr.Stderr) > stderrTail || !strings.HasSuffix(gitErr.Stderr, "fatal: the end\n") {
		t.Errorf("got exit %d, args %q, %d bytes of stderr", gitErr.Exit, gitErr.Args, len(gitErr.Stderr))
	}
	if !strings.HasSuffix(err.Error(), ": the end") {
		t.Errorf("reads %q", err)
	}
}

func TestTotalTimeIsBounded(t *testing.T) {
	// A git that prints without end is ended.
	r := someGit(t)
	c := Call{Args: []string{"-c", "alias.drip=!while echo; do sleep 0.1; done; :", "drip"}, Total: 500 * time.Millisecond}
	err := r.Stream(t.Context(), c, func(out *bufio.Reader) error {
		_, err := io.Copy(io.Discard, out)
		return err
	})
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "no end after 500ms") {
		t.Errorf("got %v, want ErrTimeout", err)
	}
}

func TestCrashIsTyped(t *testing.T) {
	// A signal sent by no process is no failure of the repository.
	r := someGit(t)
	for signal, want := range map[string]error{"KILL": ErrMemory, "SEGV": ErrCrash} {
		dir := t.TempDir()
		script := "#!/bin/sh\nkill -" + signal + " $$\n"
		if err := os.WriteFile(dir+"/git", []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		if _, err := r.Output(t.Context(), Call{Args: []string{"version"}}); !errors.Is(err, want) {
			t.Errorf("SIG%s: %v, want %v", signal, err, want)
		}
	}
}

// A system may not say how a process ended. Seen in Wine, which could not wait for git.
func TestUnknownEndIsNoBound(t *testing.T) {
	t.Parallel()
	p := &process{cmd: exec.Command("git")}
	if err := (&Runner{}).howItDied(p, "fatal: x"); err != nil || p.exit() != -1 {
		t.Errorf("%v, exit %d", err, p.exit())
	}
}
