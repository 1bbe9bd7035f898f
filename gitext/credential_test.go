package gitext

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCredential(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"echo sk-123": "sk-123", "printf 'a b\r\nsecond'": "a b", "printf key": "key",
		"echo key; yes | head -c 300000": "key", "echo key; echo noise >&2": "key",
	} {
		if got, err := Credential(t.Context(), command); err != nil || got != want {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
	for _, command := range []string{"echo CANARY; exit 3", "true", "echo; echo CANARY", "printf 'CANARY\\001'", "no-such-program-CANARY", "echo CANARY >&2; kill -9 $$"} {
		got, err := Credential(t.Context(), command)
		if err == nil || got != "" || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
}

func TestCredentialEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the user left")
	cancel(reason)
	if _, err := Credential(ctx, "sleep 600"); !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

// Ctrl-C may end the command before its signal reaches us. That is not a
// failure of the command.
func TestCredentialInterruptedFirst(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("the user left")
	file := filepath.Join(t.TempDir(), "up")
	late := func() { // the command is on its way out
		for _, err := os.Stat(file); err != nil; _, err = os.Stat(file) {
			runtime.Gosched()
		}
		cancel(reason)
	}
	go late()
	_, err := Credential(ctx, ": >'"+file+"'; kill -INT $$")
	if !errors.Is(err, reason) {
		t.Errorf("got %v", err)
	}
}

// No program that we start gets one of our keys.
func TestThreatT4ChildrenSeeNoKey(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY"} {
		t.Setenv(name, "CANARY-ours")
	}
	others := []string{"ANTHROPIC_API_KEY", "GIT_SOME_TOKEN", "MY_SECRET", "GIT_X_PASSWORD"}
	for _, name := range others {
		t.Setenv(name, "CANARY-other")
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "alias.look")
	t.Setenv("GIT_CONFIG_VALUE_0", "!env")
	r := f.open()
	for name, run := range map[string]*runner{"shadow": r.shadow, "user": r.user} {
		out, err := run.output(t.Context(), call{args: []string{"-c", "alias.see=!env; cat /proc/self/environ 2>/dev/null", "see"}})
		if err != nil || strings.Contains(string(out), "CANARY") || !strings.Contains(string(out), "PATH=") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if out, err := r.user.output(t.Context(), call{args: []string{"look"}}); err != nil {
		t.Errorf("settings of the environment are gone: %v\n%s", err, out)
	}
	// Programs of the user's own keep what is not ours.
	out, err := Credential(t.Context(), "env | grep CANARY | sort | tr '\\n' ' '")
	if err != nil || strings.Contains(out, "ours") || !strings.Contains(out, "MY_SECRET") {
		t.Errorf("credential command: %q, %v", out, err)
	}
	if version, err := userGit(t.Context(), "-c", "alias.see=!env", "see"); err != nil || strings.Contains(version, "ours") {
		t.Errorf("user's git: %v\n%s", err, version)
	}
	name := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := StartPager("env", file, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(name); err != nil || strings.Contains(string(seen), "ours") || !strings.Contains(string(seen), "PATH=") {
		t.Errorf("pager: %v\n%s", err, seen)
	}
}
