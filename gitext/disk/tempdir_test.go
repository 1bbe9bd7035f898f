//go:build unix

package disk

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// diesWith names the environment variable that makes this test binary own a directory and end by
// SIGKILL.
const diesWith = "TEMPDIR_TEST_DIES"

func TestMain(m *testing.M) {
	if os.Getenv(diesWith) == "" {
		os.Exit(m.Run())
	}
	d, err := MakeTemp()
	if err == nil {
		err = os.WriteFile(filepath.Join(d.Path, "x"), nil, 0o400)
	}
	if err != nil {
		panic(err)
	}
	self, _ := os.FindProcess(os.Getpid())
	self.Kill()
	select {}
}

func TestLeftovers(t *testing.T) {
	// Leftovers of a killed process are found and removed once they are not new; directories in
	// use, links and other programs' files stay.
	parent := t.TempDir()
	t.Setenv("TMPDIR", parent)
	living, err := MakeTemp()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), diesWith+"=1")
	if cmd.Run() == nil {
		t.Fatal("the owner was not killed")
	}
	all, _ := filepath.Glob(filepath.Join(parent, prefix+"*")) // the pattern is well formed
	left := slices.DeleteFunc(all, func(p string) bool { return p == living.outer })
	if len(left) != 1 {
		t.Fatalf("%q", left)
	}
	other := filepath.Join(parent, "git-agent-0")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(parent, prefix+"link")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if found, err := Leftovers(); len(found) > 0 || err != nil {
		t.Errorf("a new one: %q, %v", found, err)
	}
	old := time.Now().Add(-2 * settle)
	for _, p := range []string{left[0], living.outer, other} {
		if err := os.Chtimes(p, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if found, err := Leftovers(); !slices.Equal(found, left) || err != nil {
		t.Errorf("%q, want %q; %v", found, left, err)
	}
	if n, err := SweepTemps(); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if err := living.Remove(); err != nil {
		t.Error(err)
	}
	for path, there := range map[string]bool{left[0]: false, living.outer: false, other: true, link: true} {
		if _, err := os.Lstat(path); (err == nil) != there {
			t.Errorf("%s: %v, want there %t", path, err, there)
		}
	}
}
