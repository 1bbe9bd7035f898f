//go:build linux

package scorecard

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A home is a user's home directory that contains only a harmless git configuration.
// The program stores all its data below it.
type home string

func newHome(t testing.TB) home {
	t.Helper()
	dir := t.TempDir()
	config := "[init]\n\tdefaultBranch = main\n[user]\n\tname = Ada Author\n\temail = ada@example.com\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[safe]\n\tdirectory = *\n"
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home(dir)
}

// environ returns the environment of a program that runs in this home.
func (h home) environ(more ...string) []string {
	return append([]string{
		"HOME=" + string(h), "PATH=" + os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C.UTF-8", "TERM=dumb",
		"GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_TERMINAL_PROMPT=0",
		"GIT_AUTHOR_DATE=2024-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2024-01-01T00:00:00Z",
	}, more...)
}

// An outcome is the result of running a program once.
type outcome struct {
	stdout, stderr string
	code           int           // exit code; -1 if a signal ended the program
	late           bool          // the program did not end in time and was killed
	took           time.Duration // wall time
	peak           int64         // memory of the largest process of the tree, in bytes
}

// A command says how to run a program.
type command struct {
	dir   string
	stdin string
	env   []string // added to the environment of the home
	limit time.Duration
}

// run runs the program under test.
func (h home) run(t testing.TB, c command, args ...string) outcome {
	t.Helper()
	return h.exec(t, c, append([]string{program}, args...)...)
}

// exec runs any program until it ends or reaches the time limit, by default a minute.
func (h home) exec(t testing.TB, c command, argv ...string) outcome {
	t.Helper()
	if c.limit == 0 {
		c.limit = time.Minute
	}
	ctx, cancel := context.WithTimeout(context.Background(), c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, h.environ(c.env...), bytes.NewBufferString(c.stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("%q: %v", argv, err)
	}
	got := outcome{stdout: out.String(), stderr: errs.String(), code: cmd.ProcessState.ExitCode(), late: ctx.Err() != nil, took: time.Since(began)}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		got.peak = int64(usage.Maxrss) << 10 // KiB on Linux
	}
	return got
}

// git runs git in dir and returns its output. If git fails, the test ends.
func (h home) git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	got := h.exec(t, command{dir: dir}, append([]string{"git"}, args...)...)
	if got.code != 0 {
		t.Fatalf("git %q: %d\n%s", args, got.code, got.stderr)
	}
	return got.stdout
}
