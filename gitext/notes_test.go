package gitext

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
)

func TestAddNoteWithoutIdentity(t *testing.T) {
	// Only a user without an identity gets the hint about setting one.
	f := simple(t)
	known, head := f.open(), f.oid("HEAD")
	f.git("config", "user.useConfigOnly", "true")
	for _, name := range []string{"GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"} {
		os.Unsetenv(name) // isolate restores them
	}
	var gitErr *gitcmd.Error
	if err := f.open().AddNote(t.Context(), head, []byte("a note\n")); !errors.As(err, &gitErr) || !strings.Contains(gitErr.Hint, "user.email") {
		t.Errorf("a stranger: got %v, hint %v", err, gitErr)
	}
	if err := os.MkdirAll(filepath.Join(f.dir, ".git", "refs", "notes", "agent.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	gitErr = nil
	if err := known.AddNote(t.Context(), head, []byte("a note\n")); !errors.As(err, &gitErr) || gitErr.Hint != "" {
		t.Errorf("a locked ref: got %v, hint %v", err, gitErr)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	gitErr = nil
	if err := known.AddNote(ctx, head, []byte("a note\n")); !errors.As(err, &gitErr) || gitErr.Hint != "" {
		t.Errorf("interrupted: got %v, hint %v", err, gitErr)
	}
}
