package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestPathsOfATree(t *testing.T) {
	// Files that are laid over count, and files that are taken away do not.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "a\n", "b/c": "c\n", "d": "d\n"})
	w := open(t, h, Options{Command: "exit 0"})
	got, err := w.Paths(t.Context(), commit, []gitext.Overlay{{Path: "a"}, {Path: "b/x", Mode: 0o100644, Content: []byte("x\n")}, {Path: "d", Mode: 0o100644}})
	if err != nil || !slices.Equal(got, []string{"b/c", "b/x", "d"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFolderAndAnother(t *testing.T) {
	// A command may write a folder, which lasts until the workspace is closed. A second
	// workspace has a separate work tree.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a": "a\n"})
	w := open(t, h, Options{Command: "exit 0"})
	dir, err := w.Folder("x")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // TMPDIR is emptied between commands, the folder is not
		if _, err := w.Exec(t.Context(), `echo x >>"$TO/said"`, ExecOptions{Set: []string{"TO=" + dir}, Writable: []string{dir}}); err != nil {
			t.Fatal(err)
		}
	}
	if said, err := os.ReadFile(filepath.Join(dir, "said")); string(said) != "x\nx\n" {
		t.Errorf("%q, %v", said, err)
	}
	second, err := w.Another(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if second.Dir() == w.Dir() || second.Prepare(t.Context(), commit, nil) != nil {
		t.Errorf("work trees %q and %q", w.Dir(), second.Dir())
	}
	again, err := second.Folder("x")
	if err != nil || again == dir || strings.HasPrefix(again, second.Dir()) {
		t.Errorf("folder %q, %v", again, err)
	}
}
