//go:build linux

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"git-agent/agent/model/modeltest"
	"git-agent/agent/sandbox"
	"git-agent/cmd/git-agent/app"
)

// launch starts git-agent in the bench's repository as a separate process.
func (b *agentBench) launch(args ...string) *exec.Cmd {
	b.t.Helper()
	cmd := b.program(args...)
	b.turns.Add(1)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return cmd
}

// murder ends a process with SIGKILL, and waits for the end of its children, which have the
// bench's home directory in their environment.
func (b *agentBench) murder(cmd *exec.Cmd) {
	b.t.Helper()
	cmd.Process.Kill()
	cmd.Wait() // it was killed, or had ended before
	mark := []byte("HOME=" + b.home + "\x00")
	for began := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		left := ""
		names, err := filepath.Glob("/proc/[0-9]*/environ")
		if err != nil {
			b.t.Fatal(err)
		}
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil && bytes.Contains(text, mark) {
				left = name
			}
		}
		if left == "" {
			return
		}
		if time.Since(began) > 20*time.Second {
			b.t.Fatalf("%s still runs", left)
		}
	}
}

// user returns the user's state: files, the entries of the index, refs except backups, HEAD, and
// the lists of work trees and stashes.
func (b *agentBench) user() string {
	b.t.Helper()
	var refs strings.Builder
	for line := range strings.Lines(b.git("for-each-ref")) {
		if !strings.Contains(line, "refs/agent/backup/") {
			refs.WriteString(line)
		}
	}
	var files strings.Builder
	for _, name := range strings.Split(b.git("ls-files", "--cached", "--others"), "\n") {
		text, err := os.ReadFile(filepath.Join(b.dir, name))
		fmt.Fprintf(&files, "%s %q %v\n", name, text, err)
	}
	return strings.Join([]string{files.String(), b.git("ls-files", "--stage"), refs.String(), b.git("log", "--format=%T %s %D", "-2"), b.git("worktree", "list"), b.git("stash", "list")}, "\n--\n")
}

// recover runs the one command that reverts the partial writes of a killed run.
func (b *agentBench) recover() {
	b.t.Helper()
	_, out, errs := b.runAny("", "doctor", "--fix") // its exit code is about other findings too
	if strings.Contains(out+errs, "panic") {
		b.t.Fatalf("%s\n%s", out, errs)
	}
}

// A run killed at any moment leaves the user's state unchanged or complete, or one command
// restores it. The next run works, and removes the killed one's files in the temporary directory.
// GIT_AGENT_TEST_KILLS is the number of kills for each target.
func TestFixKilled(t *testing.T) {
	t.Parallel()
	rounds := 2
	if n, err := strconv.Atoi(os.Getenv("GIT_AGENT_TEST_KILLS")); err == nil {
		rounds = n
	}
	for _, target := range []string{"--apply", "--commit"} {
		t.Run(target, func(t *testing.T) {
			b := newAgentBench(t)
			b.scriptBug()
			temp := t.TempDir()
			b.setenv("TMPDIR", temp)
			args := []string{"fix", "--engine=offline", "--sandbox=none", "--no-coverage", "--time=1m", target, "--test=sh check_test.sh", "--at=size.sh:3"}
			before := b.user()
			began := time.Now()
			b.run(app.ExitFound, args...)
			whole, after := time.Since(began), b.withoutNames(b.user())
			back := b.backTo(before)
			ends := map[string]int{}
			for k := range rounds {
				back()
				cmd := b.launch(args...)
				if k%2 == 1 {
					time.Sleep(rand.N(whole))
				} else {
					b.awaitDelivery(cmd)
					time.Sleep(rand.N(30 * time.Millisecond))
				}
				b.murder(cmd)
				end := "as it was"
				if b.user() != before && b.withoutNames(b.user()) != after {
					end = "after one command"
					b.recover()
				}
				switch now := b.user(); {
				case now == before:
				case b.withoutNames(now) == after:
					end += ", complete"
				default:
					t.Fatalf("before\n%s\nnow\n%s", before, now)
				}
				ends[end]++
				b.recover()
			}
			t.Logf("of %d runs that were killed: %v", rounds, ends)
			back()
			b.run(app.ExitFound, args...)
			if left, err := filepath.Glob(filepath.Join(temp, "git-agent-*", "run-*")); err != nil || len(left) > 0 {
				t.Errorf("%q is left (%v)", left, err)
			}
		})
	}
}

// withoutNames returns a text of user without the names and times of commits.
func (b *agentBench) withoutNames(text string) string {
	for _, oid := range strings.Fields(b.git("rev-list", "--all", "--reflog")) {
		text = strings.ReplaceAll(text, oid, "{commit}")
		text = strings.ReplaceAll(text, oid[:7], "{commit}")
	}
	return text
}

// backTo returns a function that restores the state before.
func (b *agentBench) backTo(before string) func() {
	b.t.Helper()
	head := b.git("rev-parse", "HEAD@{0}")
	if subject := b.git("log", "-1", "--format=%s"); subject != "size: count the first words" {
		head = b.git("rev-parse", "HEAD~")
	}
	return func() {
		b.t.Helper()
		b.git("reset", "-q", "--hard", head)
		if now := b.user(); now != before {
			b.t.Fatalf("not back: %s\nwas\n%s", now, before)
		}
	}
}

// awaitDelivery waits until a process writes the journal of its delivery, or ends.
func (b *agentBench) awaitDelivery(cmd *exec.Cmd) {
	b.t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(filepath.Join(b.dir, ".git", "git-agent-delivery")); err == nil && info.Size() > 0 {
			return
		}
		if cmd.Process.Signal(syscall.Signal(0)) != nil {
			return
		}
	}
}

// The children of a command end with a killed run, at each level, even in their own sessions.
func TestFixKilledLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for _, level := range []sandbox.Level{sandbox.None, sandbox.Landlock, sandbox.Bwrap} {
		if _, err := sandbox.Probe(t.Context(), level); err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		b := newAgentBench(t)
		b.scriptBug()
		b.setenv("TMPDIR", t.TempDir())
		token := fmt.Sprintf("%d.27182", 100+os.Getpid())
		cmd := b.launch("fix", "--engine=offline", "--sandbox="+string(level), fmt.Sprintf(`--test=setsid sleep %[1]s & (setsid sleep %[1]s &); sleep %[1]s`, token))
		b.awaitProcesses(token, 3)
		cmd.Process.Kill()
		cmd.Wait()
		b.awaitProcesses(token, 0)
	}
}

// awaitProcesses waits until n processes sleep for a time that identifies them.
func (b *agentBench) awaitProcesses(token string, want int) {
	b.t.Helper()
	n := 0
	for began := time.Now(); time.Since(began) < 30*time.Second; time.Sleep(10 * time.Millisecond) {
		names, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			b.t.Fatal(err)
		}
		n = 0
		for _, name := range names {
			if text, err := os.ReadFile(name); err == nil && string(text) == "sleep\x00"+token+"\x00" {
				n++
			}
		}
		if n == want {
			return
		}
	}
	b.t.Fatalf("%d processes, want %d", n, want)
}

// A run killed during the model's work is listed as interrupted. The same question and git agent
// trace resume continue it, without repeating answered requests.
func TestFixKilledModel(t *testing.T) {
	t.Parallel()
	for _, again := range [][]string{nil, {"trace", "resume"}} {
		b := newAgentBench(t)
		b.scriptBug()
		b.setenv("TMPDIR", t.TempDir())
		var killed atomic.Bool
		waiting := make(chan bool, 1)
		server := b.serve(func(req modeltest.Request) modeltest.Reply {
			switch {
			case req.Turn() == 0:
				return modeltest.Call("edit", `{"path":"size.sh","old":"head -n 1","new":"cat"}`)
			case !killed.Load():
				waiting <- true
				return modeltest.Status(http.StatusServiceUnavailable, "")
			}
			return modeltest.Call("finish", `{"status":"success","explanation":"It counts all words."}`)
		})
		args := []string{"fix", "--engine=agent", "--history=none", "--sandbox=none", "--no-coverage", "--test=sh check_test.sh", "--at=size.sh"}
		before := b.kept()
		cmd := b.launch(args...)
		<-waiting
		b.murder(cmd)
		killed.Store(true)
		list, _ := b.run(app.ExitFound, "trace", "list")
		if !strings.Contains(list, "interrupted") || !strings.Contains(list, "repair at ") {
			t.Errorf("%s", list)
		}
		n := len(server.Requests())
		if again == nil {
			again = args
		}
		out, errs := b.run(app.ExitFound, again...)
		if more := len(server.Requests()) - n; more != 1 || !strings.Contains(out, "patch (plausible; the command names no test)") {
			t.Errorf("%d more requests\n%s\n%s", more, out, errs)
		}
		if !strings.Contains(errs, "which was interrupted after ") {
			t.Errorf("%s", errs)
		}
		if after := b.kept(); after != before {
			t.Errorf("before\n%s\nafter\n%s", before, after)
		}
	}
}

// A search ended by SIGTERM prints the findings so far: the failure of the test, the progress of
// the search, and the suspected functions with the commits that wrote them.
func TestFixTerminatedSaysWhatIsKnown(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	b.scriptBug()
	b.setenv("TMPDIR", t.TempDir())
	token := fmt.Sprintf("%d.31415", 100+os.Getpid())
	cmd := b.launch("fix", "--engine=offline", "--sandbox=none", "--no-coverage", "--at=size.sh",
		"--test=grep -q 'head -n 1' size.sh || sleep "+token+"; echo 'size.sh:3: wrong size'; exit 1")
	b.awaitProcesses(token, 1) // a candidate is tried
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // its exit code says that it was interrupted
	out := cmd.Stdout.(*bytes.Buffer).String()
	for _, want := range []string{"it fails (exit 1), 3 runs", "size.sh:", "size: count the first words", "no patch was tried: interrupted"} {
		if !strings.Contains(out, want) {
			t.Errorf("not printed: %q", want)
		}
	}
	if t.Failed() {
		t.Logf("%s\n%s", out, cmd.Stderr)
	}
}
