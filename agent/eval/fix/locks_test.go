package fixeval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
)

// The commands of the judge find the lock file of the clone, though the base does not track it.
// Without it they cannot run, and no patch is judged.
func TestLocks(t *testing.T) {
	b := newBug(t)
	b.c.TestCmd = `test -e Cargo.lock || { echo "error: no matching package named x found"; exit 101; }; ` + b.c.TestCmd
	if _, ask := b.begin(Options{Trial: local}); true {
		_, err := ask(t.Context(), "developers")
		if err == nil || !strings.Contains(err.Error(), "no matching package named x") {
			t.Errorf("without the file: %v", err)
		}
	}
	if err := os.WriteFile(filepath.Join(b.Dir, "Cargo.lock"), []byte("version = 4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := b.answer("developers"); len(p.Patches) != 1 || p.Patches[0].Verdict != fix.Plausible {
		t.Errorf("%+v", p.Patches)
	}
}

// Commands find the packages that are installed in the clone's work tree, of which git knows
// nothing.
func TestInstalledPackages(t *testing.T) {
	b := newBug(t)
	b.c.TestCmd = "test -e node_modules/dep/index.js || { echo \"Error: Cannot find module 'dep'\"; exit 1; }; " + b.c.TestCmd
	if _, ask := b.begin(Options{Trial: local}); true {
		if _, err := ask(t.Context(), "developers"); err == nil {
			t.Error("the packages are not installed, and the patch was judged")
		}
	}
	dep := filepath.Join(b.Dir, "node_modules", "dep")
	if err := os.MkdirAll(dep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dep, "index.js"), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := b.answer("developers"); len(p.Patches) != 1 || p.Patches[0].Verdict != fix.Plausible {
		t.Errorf("%+v", p.Patches)
	}
}
