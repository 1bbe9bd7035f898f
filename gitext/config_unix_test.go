//go:build unix

package gitext

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"git-agent/gitext/disk"
)

// A named pipe instead of a repository's configuration ends the reading of
// settings with an error that names it.
func TestSettingsBesideAPipe(t *testing.T) {
	f := newFixture(t)
	config := filepath.Join(f.dir, ".git", "config")
	if err := errors.Join(os.Remove(config), syscall.Mkfifo(config, 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(f.dir)
	_, err := Settings(t.Context())
	var kind *disk.KindError
	if !errors.As(err, &kind) || kind.Path != config {
		t.Errorf("got %v, want an error about %s", err, config)
	}
}
