//go:build unix

package gitdir

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLeftoversOfTheKilledGo(t *testing.T) {
	// Making a shadow removes leftovers of killed makers, but not while another
	// maker is at work.
	parent := t.TempDir()
	left := filepath.Join(parent, temporaryPrefix+"left")
	if err := os.MkdirAll(filepath.Join(left, "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	done := makeShadowBeside(t, parent)
	if err := os.MkdirAll(left, 0o700); err != nil {
		t.Fatal(err)
	}
	makeIn(parent)()
	if _, err := os.Stat(left); err != nil {
		t.Errorf("what another process is making was removed: %v", err)
	}
	done()
	if err := create(filepath.Join(parent, "b"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the leftover is still there: %v", err)
	}
}

// makeShadowBeside makes a shadow and stays at work.
func makeShadowBeside(t *testing.T, parent string) (done func()) {
	t.Helper()
	if err := create(filepath.Join(parent, "a"), nil); err != nil {
		t.Fatal(err)
	}
	return makeIn(parent)
}
