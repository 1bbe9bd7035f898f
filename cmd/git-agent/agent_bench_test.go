package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"git-agent/agent/model/modeltest"
)

// agentBench is a repository with a separate home, in which HEAD fixes a bug of HEAD~2. Its
// programs run as processes with the bench's own environment, so that benches of several tests
// work at the same time.
type agentBench struct {
	t             *testing.T
	dir, home     string
	bug, innocent string   // commits
	env           []string // "name=value"; the last one of a name counts
	// turns orders what the model's replies and the test do one after the other, for the race
	// detector, which sees no order in what processes say to each other.
	turns atomic.Int64
}

// newAgentBench makes the repository. The variables ("name=value") are set before its commits.
func newAgentBench(t *testing.T, env ...string) *agentBench {
	t.Helper()
	b := &agentBench{t: t, home: t.TempDir()}
	b.dir = filepath.Join(b.home, "r")
	b.env = append(os.Environ(),
		"HOME="+b.home, "GIT_CONFIG_GLOBAL="+filepath.Join(b.home, ".gitconfig"), "GIT_CONFIG_SYSTEM="+os.DevNull,
		"XDG_CONFIG_HOME="+filepath.Join(b.home, ".config"), "XDG_CACHE_HOME="+filepath.Join(b.home, ".cache"), "XDG_STATE_HOME="+filepath.Join(b.home, ".state"),
		"GIT_CEILING_DIRECTORIES="+b.home, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_AGENT_MODEL=", "GIT_AGENT_BASE_URL=", "GIT_AGENT_API_KEY=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")
	b.env = append(b.env, env...)
	config := "[maintenance]\n\tauto = false\n[core]\n\tfsync = none\n"
	if err := os.WriteFile(filepath.Join(b.home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	b.shell(`git init -q r && cd r
		commit() { git add -A; GIT_AUTHOR_DATE="2024-01-0$1T00:00:00Z" GIT_COMMITTER_DATE="2024-01-0$1T00:00:00Z" git commit -q --no-verify --no-gpg-sign -m "$2"; }
		printf 'int a = 1;\nint b = 1;\n' >a.c; commit 1 'begin'
		printf 'int a = 2;\nint b = 1;\n' >a.c; commit 2 'a: count from two'
		printf 'int a = 2;\nint b = 2;\n' >a.c; commit 3 'b: count from two too'
		printf 'int a = 1;\nint b = 2;\n' >a.c; commit 4 'a: count from one again'`)
	b.bug, b.innocent = b.git("rev-parse", "HEAD~2"), b.git("rev-parse", "HEAD~1")
	return b
}

// setenv sets a variable of all later commands of the bench.
func (b *agentBench) setenv(name, value string) { b.env = append(b.env, name+"="+value) }

// getenv returns the value that the bench's commands see.
func (b *agentBench) getenv(name string) (value string) {
	for _, variable := range b.env {
		if text, found := strings.CutPrefix(variable, name+"="); found {
			value = text
		}
	}
	return value
}

// command prepares a program in the bench's repository.
func (b *agentBench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = b.dir, b.env
	return cmd
}

// program prepares git-agent, which is this test's own binary under that name.
func (b *agentBench) program(args ...string) *exec.Cmd {
	cmd := b.command(os.Args[0])
	cmd.Args = append([]string{"git-agent"}, args...)
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return cmd
}

// shell runs a script in the bench's home directory.
func (b *agentBench) shell(script string) {
	b.t.Helper()
	cmd := b.command("sh", "-ec", script)
	cmd.Dir = b.home
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
}

func (b *agentBench) git(args ...string) string {
	b.t.Helper()
	out, err := b.command("git", args...).Output()
	if err != nil {
		b.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// serve configures a model with these replies.
func (b *agentBench) serve(answer func(modeltest.Request) modeltest.Reply) *modeltest.Server {
	server := modeltest.Serve(b.t, func(req modeltest.Request) modeltest.Reply {
		b.turns.Add(1)
		defer b.turns.Add(1)
		return answer(req)
	})
	b.setenv("GIT_AGENT_MODEL", "m1")
	b.setenv("GIT_AGENT_BASE_URL", server.URL)
	return server
}

// run runs git-agent and checks its exit code.
func (b *agentBench) run(want int, args ...string) (stdout, stderr string) {
	b.t.Helper()
	code, stdout, stderr := b.runAny("", args...)
	if code != want {
		b.t.Fatalf("git agent %v exits with %d, want %d\n%s\n%s", args, code, want, stdout, stderr)
	}
	checkSchemas(b.t, args, stdout)
	return stdout, stderr
}

// runAny runs git-agent with this standard input, and returns its exit code, whatever it is.
func (b *agentBench) runAny(stdin string, args ...string) (code int, stdout, stderr string) {
	b.t.Helper()
	cmd := b.program(args...)
	cmd.Stdin = strings.NewReader(stdin)
	b.turns.Add(1)
	err := cmd.Run()
	b.turns.Add(1)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), cmd.Stdout.(*bytes.Buffer).String(), cmd.Stderr.(*bytes.Buffer).String()
}
