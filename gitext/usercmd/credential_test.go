package usercmd

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

// Ctrl-C may end the command before its signal reaches this program. That is no
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
