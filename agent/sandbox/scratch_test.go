//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestScratchSweepsWhatAKilledRunLeft(t *testing.T) {
	// A directory whose owner was killed is removed by the next run, even with
	// read-only parts; one whose owner lives stays.
	parent := t.TempDir()
	living, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	left := killedOwner(t, parent)
	if _, err := os.Stat(filepath.Join(left, "tree", "locked")); err != nil {
		t.Fatal(err)
	}
	next, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the leftover is still there: %v", err)
	}
	for _, s := range []*Scratch{living, next} {
		if _, err := os.Stat(s.dir); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(s.dir); !os.IsNotExist(err) {
			t.Errorf("still there after Close: %v", err)
		}
	}
}

// killedOwner runs this test binary as the owner of a scratch directory that
// ends by SIGKILL, and returns that directory.
func killedOwner(t *testing.T, parent string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestOwnerThatDies$")
	cmd.Env = append(os.Environ(), "SCRATCH_OF_THE_DEAD="+parent)
	if err := cmd.Run(); err == nil {
		t.Fatal("the owner was not killed")
	}
	left, _ := filepath.Glob(filepath.Join(parent, "run-*", "tree"))
	if len(left) != 1 {
		t.Fatalf("leftovers: %q", left)
	}
	return filepath.Dir(left[0])
}

func TestOwnerThatDies(t *testing.T) {
	// Not a test: the owner that killedOwner needs.
	parent := os.Getenv("SCRATCH_OF_THE_DEAD")
	if parent == "" {
		t.Skip("helper of TestScratchSweepsWhatAKilledRunLeft")
	}
	s, err := NewScratch(parent)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := s.Dir("tree/locked")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "x"), nil, 0o400)
	os.Chmod(dir, 0o500)
	self, _ := os.FindProcess(os.Getpid())
	self.Kill()
	select {}
}

func TestLeftovers(t *testing.T) {
	// The directory of a killed run is listed, and removed on demand; a running one keeps its
	// directory. A missing parent is not created, and a parent that is no directory of this
	// user is an error.
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if left, err := Leftovers(); len(left) > 0 || err != nil {
		t.Errorf("%q, %v", left, err)
	}
	if n, err := RemoveLeftovers(); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if entries, err := os.ReadDir(tmp); len(entries) > 0 || err != nil {
		t.Errorf("made %v, %v", entries, err)
	}
	living, err := NewScratch("")
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(filepath.Dir(living.dir), "run-dead")
	if err := os.Rename(killedOwner(t, t.TempDir()), dead); err != nil {
		t.Fatal(err)
	}
	if left, err := Leftovers(); len(left) != 1 || left[0] != dead || err != nil {
		t.Errorf("%q, %v", left, err)
	}
	if n, err := RemoveLeftovers(); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if left, err := Leftovers(); len(left) > 0 || err != nil {
		t.Errorf("still %q, %v", left, err)
	}
	if err := living.Close(); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(sharedParent()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sharedParent(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if left, err := Leftovers(); len(left) > 0 || err == nil {
		t.Errorf("a file is no place: %q, %v", left, err)
	}
}

func TestScratchRefusesAForeignDirectory(t *testing.T) {
	// A scratch parent below a shared temporary directory that others can write
	// is refused.
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	s, err := NewScratch("")
	if err != nil {
		t.Fatal(err)
	}
	parent := filepath.Dir(s.dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(parent, 0o777); err != nil {
		t.Fatal(err)
	}
	if s, err := NewScratch(""); err == nil {
		s.Close()
		t.Error("taken")
	}
}
