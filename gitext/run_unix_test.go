//go:build unix

package gitext

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hang is a git that starts a child, says its own and the child's process
// number and never ends. The child holds on to stdout.
func hang(trap string) call {
	return call{args: []string{"-c", "alias.hang=!" + trap + " sleep 600 & echo $$ $!; wait; sleep 600", "hang"}}
}

// alive tells whether a process is still there; a zombie counts as gone.
func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestCancelKillsTheGroup(t *testing.T) {
	// A context that ends must end git and all of its children, also one that
	// ignores the interrupt, and the call must come back with the reason.
	for name, trap := range map[string]string{"polite": "", "stubborn": "trap '' INT;"} {
		t.Run(name, func(t *testing.T) {
			r := newFixture(t).open()
			ctx, cancel := context.WithCancel(t.Context())
			var pids []int
			err := r.shadow.stream(ctx, hang(trap), func(out *bufio.Reader) error {
				line, err := out.ReadString('\n')
				for f := range strings.FieldsSeq(line) {
					pid, _ := strconv.Atoi(f)
					pids = append(pids, pid)
				}
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
			if len(pids) != 2 {
				t.Fatalf("no process numbers: %v", pids)
			}
			for _, pid := range pids {
				if waitGone(pid); alive(pid) {
					t.Errorf("process %d outlives the call", pid)
				}
			}
		})
	}
}

// waitGone gives the system the moment that it takes to bury a process whose
// parent is not us.
func waitGone(pid int) {
	for range 2000 {
		if !alive(pid) {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func TestTimeoutIsTyped(t *testing.T) {
	// A call that runs out of its time must say ErrTimeout.
	r := newFixture(t).open()
	c := hang("")
	c.timeout = 50 * time.Millisecond
	_, err := r.shadow.output(t.Context(), c)
	if !errors.Is(err, ErrTimeout) || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v, want ErrTimeout", err)
	}
}

func TestStoppedReaderIsSuccess(t *testing.T) {
	// A reader that has seen enough ends git at once and without an error.
	r := newFixture(t).open()
	err := r.shadow.stream(t.Context(), hang(""), func(out *bufio.Reader) error {
		_, err := out.ReadString('\n')
		return errors.Join(err, errStop)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	// More output than allowed is ErrOutputLimit, and git is ended.
	r := newFixture(t).open()
	_, err := r.shadow.output(t.Context(), call{args: []string{"-c", "alias.yes=!yes", "yes"}, max: 1000})
	if !errors.Is(err, ErrOutputLimit) {
		t.Errorf("got %v, want ErrOutputLimit", err)
	}
}

func TestErrorTellsAll(t *testing.T) {
	// A failed call carries git's arguments, exit code and words, the tail of
	// them when there are many, and reads like git.
	r := newFixture(t).open()
	_, err := r.shadow.output(t.Context(), call{args: []string{"-c", "alias.die=!yes noise | head -c 100000 >&2; { echo; echo 'fatal: the end'; } >&2; exit 42; :", "die"}})
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
