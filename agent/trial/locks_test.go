package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// FindLocks returns untracked regular lock files in directories of the commit, and no others.
func TestFindLocks(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{".gitignore": "Cargo.lock\n", "a.rs": "\n", "web/b.js": "\n", "web/yarn.lock": "tracked\n", "py/c.py": "\n"})
	write(t, h.Dir, map[string]string{
		"Cargo.lock": "ignored", "web/yarn.lock": "changed", "web/package-lock.json": "untracked", "other/uv.lock": "no file of the commit is here",
		"py/other.lock": "no name of a lock file", "elsewhere": "text", "py/Pipfile.lock": strings.Repeat("x", maxLock+1),
	})
	if err := os.Symlink("../elsewhere", filepath.Join(h.Dir, "py", "poetry.lock")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(h.Dir, "py", "uv.lock"), 0o777); err != nil {
		t.Fatal(err)
	}
	got, err := FindLocks(t.Context(), h.Open(), commit, h.Dir)
	if err != nil || len(got) != 2 || got[0].Path != "Cargo.lock" || string(got[0].Content) != "ignored" || got[1].Path != "web/package-lock.json" {
		t.Errorf("%q, %v", got, err)
	}
}

// Each commit is tried with the user's lock file, though a command has changed it, except where a
// commit has its own or lacks the directory. The file is no change of the work tree.
func TestLocksAreThere(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	old := h.Commit("has its own", gittest.Files{"Cargo.lock": "own\n"})
	tip := h.Commit("ignores it", gittest.Files{"Cargo.lock": gittest.Gone, "web/a.js": "\n"})
	write(t, h.Dir, map[string]string{"Cargo.lock": "the user's\n", "web/yarn.lock": "of web\n"})
	opt := Options{Command: "cat Cargo.lock web/yarn.lock; echo changed >Cargo.lock"}
	if err := opt.FindInstalled(t.Context(), h.Open(), tip); err != nil {
		t.Fatal(err)
	}
	w := open(t, h, opt)
	for i, want := range []string{"the user's\nof web\n", "own\ncat:", "the user's\nof web\n", "the user's\nof web\n"} {
		commit := tip
		if i == 1 {
			commit = old
		}
		got, err := w.Run(t.Context(), commit, nil)
		if err != nil || !strings.HasPrefix(string(got.Output), want) {
			t.Fatalf("run %d: %s, %v; want %s", i, got.Output, err, want)
		}
		changes, err := w.Changes(t.Context())
		if err != nil || len(changes.Untracked) > 0 || len(changes.Tracked) != i%2 && i < 2 {
			t.Errorf("run %d: %+v, %v", i, changes, err)
		}
		if err := w.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(h.Dir, "Cargo.lock")); err != nil || string(text) != "the user's\n" {
		t.Errorf("the user's file has %q, %v", text, err)
	}
}
