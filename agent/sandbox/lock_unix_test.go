//go:build unix

package sandbox

import (
	"path/filepath"
	"syscall"
	"testing"
)

func TestUnlockDespiteAStartingProcess(t *testing.T) {
	// Between fork and exec, a child has a copy of each open file of its parent.
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, err := lockFile(path, true)
	if err != nil {
		t.Fatal(err)
	}
	child, err := syscall.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(child)
	if err := unlock(first); err != nil {
		t.Fatal(err)
	}
	second, err := lockFile(path, false)
	if err != nil {
		t.Fatalf("the lock outlives its end: %v", err)
	}
	if err := unlock(second); err != nil {
		t.Error(err)
	}
}
