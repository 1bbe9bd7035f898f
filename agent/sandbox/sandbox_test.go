//go:build linux

package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests are a program that starts helpers.
func TestMain(m *testing.M) {
	Helper()
	os.Exit(m.Run())
}

// levels are those that work on this machine.
func levels(t testing.TB) []Level {
	t.Helper()
	list := []Level{None}
	for _, level := range []Level{Landlock, Bwrap} {
		if _, err := Probe(t.Context(), level); err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		list = append(list, level)
	}
	return list
}

func mustRun(t *testing.T, s Spec) Result {
	t.Helper()
	if s.Dir == "" {
		s.Dir = t.TempDir()
	}
	if s.Timeout == 0 {
		s.Timeout = 30 * time.Second
	}
	res, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestRunReportsAsShell(t *testing.T) {
	// The exit code has the form of a shell, and both streams come in order.
	for _, level := range levels(t) {
		for _, c := range []struct {
			command string
			exit    int
			output  string
		}{
			{"true", 0, ""},
			{"echo a; echo b >&2; echo c; exit 3", 3, "a\nb\nc\n"},
			{"exit 125", 125, ""},
			{"kill -SEGV $$", 139, ""},
			{"read x || echo no input; test -t 0 || echo no terminal", 0, "no input\nno terminal\n"},
		} {
			res := mustRun(t, Spec{Command: c.command, Sandbox: level})
			if res.Exit != c.exit || string(res.Output) != c.output || res.TimedOut || res.Level != level {
				t.Errorf("%s %q: %+v, output %q", level, c.command, res, res.Output)
			}
		}
	}
}

func TestRunEndsTheWholeGroupAtTheLimit(t *testing.T) {
	t.Parallel()
	// A grandchild that ignores SIGTERM and holds stdout neither delays the
	// result beyond the grace nor survives. On a busy machine the limit may come
	// before the shell does anything, so it is raised until it does not.
	for _, level := range levels(t) {
		var dir string
		var res Result
		for limit := 300 * time.Millisecond; limit < time.Minute; limit *= 4 {
			dir = t.TempDir()
			res = mustRun(t, Spec{
				Dir: dir, Sandbox: level, Timeout: limit, Memory: 1 << 30,
				Command: `(trap "" TERM; echo $$ >pid; echo begun; sleep 1000; sleep 1000) & wait`,
			})
			if len(res.Output) > 0 {
				break
			}
		}
		if !res.TimedOut || res.Starved || res.Exit == 0 || !strings.HasPrefix(string(res.Output), "begun\n") {
			t.Errorf("%s: %+v, output %q", level, res, res.Output)
		}
		if level == None {
			mustBeGone(t, dir)
		}
	}
}

// On a loaded machine, the time of a command can be over before it starts: it was ended at its limit,
// like others, and is no error, which ended the whole measurement of coverage.
func TestTimeOverBeforeTheStart(t *testing.T) {
	for _, level := range levels(t) {
		if res := mustRun(t, Spec{Dir: t.TempDir(), Sandbox: level, Timeout: time.Nanosecond, Command: "echo begun"}); !res.TimedOut || res.Exit == 0 || len(res.Output) > 0 {
			t.Errorf("%s: %+v", level, res)
		}
	}
}

func TestRunLeavesNothingBehind(t *testing.T) {
	// Processes that a command leaves in its group end with the command.
	dir := t.TempDir()
	res := mustRun(t, Spec{Dir: dir, Sandbox: None, Command: `sh -c 'echo $$ >pid; exec sleep 1000' & while ! test -s pid; do :; done; echo done`})
	if res.Exit != 0 || res.TimedOut || string(res.Output) != "done\n" {
		t.Errorf("%+v, output %q", res, res.Output)
	}
	mustBeGone(t, dir)
}

// mustBeGone reads the number of a process from dir/pid and waits until the
// kernel has ended it: a signal is sent before it has its effect.
func mustBeGone(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const patience = 10_000 // ms
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, patience); n != 1 {
		t.Errorf("process %d still runs (%v)", pid, err)
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	// Cancelling the context ends the command and gives the cause as the error.
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		os.ReadFile(fifo) // returns when the command has begun
		cancel(why)
	}()
	_, err := Run(ctx, Spec{Dir: dir, Sandbox: None, Command: "echo begun >fifo; sleep 1000"})
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
}

func TestRunCancelledWhileBwrapStarts(t *testing.T) {
	// bubblewrap asks the kernel to end its inner process with the outer one only after it made
	// the mounts. A command that is cancelled before that must end as well.
	if !slices.Contains(levels(t), Bwrap) {
		t.Skip("bubblewrap does not work here")
	}
	dir := t.TempDir()
	var runs sync.WaitGroup
	for i := range 60 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*500*time.Microsecond)
		runs.Go(func() {
			defer cancel()
			Run(ctx, Spec{Dir: dir, Sandbox: Bwrap, Command: "sleep 1000"}) // the error is the timeout
		})
	}
	runs.Wait()
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range lines {
		if text, _ := os.ReadFile(file); bytes.Contains(text, []byte(dir)) { // an error means that it has ended
			t.Errorf("%s still runs", file)
		}
	}
}

func TestRunPassesNoKey(t *testing.T) {
	// A key of the environment reaches no command at any level, nor do git's
	// variables, and asking for a variable named like a secret is refused.
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	t.Setenv("WHATEVER", "canary")
	t.Setenv("GIT_DIR", "/canary")
	t.Setenv("LC_TIME", "C")
	t.Setenv("MY_FLAG", "yes")
	for _, level := range levels(t) {
		res := mustRun(t, Spec{Command: "env; cat /proc/1/environ 2>/dev/null | tr '\\0' '\\n' | grep canary", Env: []string{"MY_FLAG"}, Set: []string{"COMMIT=abc"}, Sandbox: level})
		out := string(res.Output)
		if strings.Contains(out, "canary") {
			t.Errorf("%s: the environment holds a canary:\n%s", level, out)
		}
		for _, want := range []string{"PATH=", "TERM=dumb\n", "LC_TIME=C\n", "MY_FLAG=yes\n", "COMMIT=abc\n", "GIT_CEILING_DIRECTORIES="} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %s in\n%s", level, want, out)
			}
		}
	}
	if _, err := Run(t.Context(), Spec{Dir: t.TempDir(), Command: "true", Env: []string{"OPENAI_API_KEY"}, Sandbox: None}); err == nil {
		t.Error("a secret was passed on")
	}
}

func TestBwrapKeepsOut(t *testing.T) {
	// In bubblewrap only the scratch directories can be written, the network
	// is off, and a secret of the home directory is not there.
	if len(levels(t)) < 2 {
		t.Skip("bubblewrap does not work here")
	}
	// Not below /tmp, which is another one inside.
	home, err := os.MkdirTemp("/var/tmp", "home-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(home) })
	dir, other := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".ssh/id", ".netrc"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte("canary"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	res := mustRun(t, Spec{Dir: dir, Sandbox: Bwrap, Cache: other, Command: `
		echo in >here && cat here; echo in >"$XDG_CACHE_HOME/x" && echo cache
		echo out >"$HOME/x" && echo home
		cat "$HOME/.ssh/id" "$HOME/.netrc" 2>/dev/null
		grep -c : /proc/net/dev`}) // interfaces: the loopback alone
	if got, want := string(res.Output), "in\ncache\nhome\n1\n"; got != want {
		t.Errorf("output %q", got)
	}
	if _, err := os.Stat(filepath.Join(home, "x")); err == nil {
		t.Error("the home directory was written")
	}
}

func TestOutputIsBounded(t *testing.T) {
	// Of a long output the first and the last bytes are kept and the rest counted.
	res := mustRun(t, Spec{Sandbox: None, MaxOutput: 10, Command: "echo first; head -c 100000 /dev/zero | tr '\\0' x; echo last"})
	if got, want := string(res.Output), "first\nxxxx\n[99991 bytes left out]\nxxxxx"+"last\n"; got != want || res.Omitted != 99991 {
		t.Errorf("%q, %d omitted", got, res.Omitted)
	}
}

func TestBoundedKeepsAllThatFits(t *testing.T) {
	// However the writes are cut, the same bytes are kept.
	text := "abcdefghijklmnopqrstuvwxyz"
	for size := 1; size <= len(text); size++ {
		b := newBounded(4)
		for i := 0; i < len(text); i += size {
			b.Write([]byte(text[i:min(i+size, len(text))]))
		}
		if got, lost := b.bytes(); string(got) != "abcd\n[18 bytes left out]\nwxyz" || lost != 18 {
			t.Errorf("writes of %d: %q, %d lost", size, got, lost)
		}
	}
	b := newBounded(13)
	b.Write([]byte(text))
	if got, lost := b.bytes(); string(got) != text || lost != 0 {
		t.Errorf("%q, %d lost", got, lost)
	}
}

// A failure is blamed on the memory bound if the command came near it or says
// so, and never without a bound.
func TestStarved(t *testing.T) {
	for _, tt := range []struct {
		bound, peak int64
		exit        int
		output      string
		want        bool
	}{
		{0, 1 << 40, 1, "out of memory", false},
		{0, 0, 139, "", false},
		{1 << 30, 1 << 20, 1, "FAIL: 3 is not 4", false},
		{1 << 30, 1 << 20, 139, "", false},
		{1 << 30, 0, 1, "FAIL: 3 is not 4", false},
		{1 << 30, 0, 139, "", true},
		{1 << 30, 0, 2, "Segmentation fault\nsh: 1: test: =: unexpected operator\n", true},
		{1 << 30, 1 << 20, 2, "Segmentation fault\nsh: 1: test: =: unexpected operator\n", false},
		{1 << 30, 1000 << 20, 1, "FAIL: 3 is not 4", true},
		{1 << 30, 1 << 20, 2, "sh: 1: Out of space", true},
		{1 << 30, 1 << 20, 134, "terminate called after throwing an instance of 'std::bad_alloc'", true},
		{1 << 30, 1 << 20, 1, "fork: Cannot allocate memory", true},
		{1 << 30, 1 << 20, 1, "write: No space left on device", false},
	} {
		if got := starved(tt.bound, tt.peak, Result{Exit: tt.exit, Output: []byte(tt.output)}); got != tt.want {
			t.Errorf("%+v: got %t", tt, got)
		}
	}
}

func TestProbeRefusesUnknownLevel(t *testing.T) {
	// A level that does not exist is an error, not the weakest one.
	if _, err := Probe(t.Context(), "strong"); err == nil {
		t.Error("no error")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	// A process that keeps more than its bound fails; one below it does not.
	const hungry = `x=$(head -c 50000000 /dev/zero | tr '\0' a) && echo ${#x}`
	for _, level := range levels(t) {
		for memory, want := range map[int64]string{0: "50000000\n", 1 << 30: "50000000\n", 16 << 20: ""} {
			res := mustRun(t, Spec{Command: hungry, Sandbox: level, Memory: memory})
			if ok := res.Exit == 0 && string(res.Output) == want; ok != (want != "") {
				t.Errorf("%s, %d bytes: exit %d, output %q", level, memory, res.Exit, res.Output)
			}
			if res.Starved != (want == "") {
				t.Errorf("%s, %d bytes: starved is %t, output %q", level, memory, res.Starved, res.Output)
			}
		}
	}
}

// A command is not starved because the program that runs it is large.
// Memory is not limited by default: a test that took all of the machine's could end the user's other
// programs.
func TestCommandsAreEndedFirst(t *testing.T) {
	for _, level := range levels(t) {
		res := mustRun(t, Spec{Command: "cat /proc/self/oom_score_adj", Sandbox: level})
		if first := string(res.Output) == "1000\n"; first != (level != None) {
			t.Errorf("%s: %s", level, res.Output)
		}
	}
}

func TestOwnMemoryIsNotTheCommands(t *testing.T) {
	ours := bytes.Repeat([]byte{1}, 96<<20)
	for _, level := range levels(t) {
		if res := mustRun(t, Spec{Command: "exit 1", Sandbox: level, Memory: 64 << 20}); res.Starved || res.Exit != 1 {
			t.Errorf("%s: %+v", level, res)
		}
	}
	runtime.KeepAlive(ours)
}

// A program that runs by its arguments can exchange data with the caller, at each level, and
// its standard output is separate from standard error.
func TestStreams(t *testing.T) {
	for _, level := range levels(t) {
		inR, inW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		outR, outW, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		said := make(chan string, 1)
		go func() {
			inW.WriteString("one\n")
			line := make([]byte, 4)
			n, _ := outR.Read(line)
			inW.WriteString("two\n")
			inW.Close()
			rest, _ := io.ReadAll(outR) // ends, because nobody but the program has the other end
			said <- string(line[:n]) + string(rest)
		}()
		res := mustRun(t, Spec{Argv: []string{"/bin/sh", "-c", "echo note >&2; exec cat"}, Stdin: inR, Stdout: outW, Sandbox: level})
		if got := <-said; got != "one\ntwo\n" || string(res.Output) != "note\n" {
			t.Errorf("%s: %q, and %q on standard error", level, got, res.Output)
		}
		outR.Close()
	}
}

func TestStoppedCommandGoesOn(t *testing.T) {
	t.Parallel()
	// A command that stops its first process, the helper above it or all reachable processes is
	// continued, and so ends.
	for _, level := range levels(t) {
		for _, script := range []string{
			`sh -c 'kill -STOP $PPID'; echo end`,
			`kill -STOP $PPID 2>/dev/null; echo end`,
			`kill -STOP $$; kill -STOP 0; echo end`,
		} {
			res := mustRun(t, Spec{Command: script, Sandbox: level, Timeout: time.Minute})
			if res.TimedOut || res.Exit != 0 || string(res.Output) != "end\n" {
				t.Errorf("%s %q: %+v, output %q", level, script, res, res.Output)
			}
		}
	}
}

func TestOwnPriority(t *testing.T) {
	// Commands can set the priority, the processors and the scheduling of their own processes.
	for _, level := range levels(t) {
		for _, command := range []string{"nice -n 5 true", "renice -n 19 -p 0", "taskset 1 true", "ionice -c 3 true", "chrt --batch 0 true", "ulimit -n 64"} {
			name, _, _ := strings.Cut(command, " ")
			if _, err := exec.LookPath(name); err != nil && name != "ulimit" {
				t.Logf("not tried: %v", err)
				continue
			}
			if res := mustRun(t, Spec{Command: command, Sandbox: level}); res.Exit != 0 {
				t.Errorf("%s %q: %+v, output %q", level, command, res, res.Output)
			}
		}
	}
}
