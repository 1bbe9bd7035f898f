package doctor

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/gitext"
)

// The effects of an interrupt are not blamed on the repository.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	_, err := Run(ctx, Input{
		Stdout: &out, Stderr: io.Discard, Getenv: os.Getenv,
		Open: func(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
			opt.Dir = t.TempDir()
			return gitext.Open(ctx, opt)
		},
		Model:   func(context.Context) (session.Settings, error) { return session.Settings{}, nil },
		Sandbox: func(context.Context) (sandbox.Level, error) { return sandbox.None, nil },
		ManDir:  func() (string, error) { return t.TempDir(), nil },
	})
	if !errors.Is(err, context.Canceled) || strings.Contains(out.String(), "repository") {
		t.Errorf("error %v, and\n%s", err, &out)
	}
}
