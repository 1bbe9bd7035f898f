package szz

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// A fix that changes no line of text is answered by the last commits that gave its files what it changes.
func TestWholeFiles(t *testing.T) {
	h := newHistory(t)
	commit := func(message string) gitext.OID {
		h.Git("commit", "-q", "-m", message)
		return h.Head()
	}
	chmod := func(message, how string, paths ...string) gitext.OID {
		h.Git(append([]string{"update-index", "--chmod=" + how}, paths...)...)
		defer h.Git("checkout", "-q", "--", ".")
		return commit(message)
	}
	module := func(message, to string) gitext.OID {
		h.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(to, len(h.Head()))+",lib")
		return commit(message)
	}
	expect := func(fix gitext.OID, reason, evidence string, culprits ...string) {
		t.Helper()
		fc := h.context(fix, ContextOptions{})
		v, err := Settle(t.Context(), h.Open(), fc, "rank")
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(subjects(v), culprits) {
			t.Fatalf("%s: suspects %q, want %q; notes %q", fc.Commit.Message, subjects(v), culprits, v.Notes)
		}
		s := v.Suspects[0]
		if v.Algorithm != ByFileHistory || s.Reason != reason || !strings.Contains(s.Evidence[0].Text, evidence) || s.Probability != 0 {
			t.Errorf("%s: by %s: %q, evidence %+v", fc.Commit.Message, v.Algorithm, s.Reason, s.Evidence)
		}
		if v, err := Settle(t.Context(), h.Open(), fc, "b"); err != nil || v == nil || len(v.Suspects) > 0 {
			t.Errorf("%s: variant b answers %v, %v", fc.Commit.Message, v, err)
		}
	}
	h.Commit("root", gittest.Files{"run.sh": "exit 0\n", "test.sh": "exit 1\n", "logo": "a\x00b", "util.py": "x = 1\ny = 2\n"})
	chmod("make scripts executable", "+x", "run.sh", "test.sh")
	h.Commit("another logo", gittest.Files{"logo": "a\x00c"})
	h.Git("mv", "util.py", "utils.py")
	commit("rename a module")
	chmod("clean up", "-x", "run.sh")
	h.Commit("go on", gittest.Files{"run.sh": "exit 2\n", "utils.py": "x = 1\ny = 3\n"})

	expect(chmod("fix the mode", "+x", "run.sh"), "set the mode of run.sh to 100644", "mode change 100755 => 100644", "clean up")
	expect(chmod("fix the modes", "-x", "run.sh", "test.sh"), "set the mode of run.sh to 100755", "mode change 100644 => 100755", "fix the mode", "make scripts executable")
	expect(h.Commit("fix the logo", gittest.Files{"logo": "a\x00b"}), "wrote the content of logo that the fix changes", " => ", "another logo")
	h.Git("mv", "utils.py", "util.py")
	expect(commit("fix an import"), "added utils.py under this name", "create mode 100644", "rename a module")
	h.Git("rm", "-q", "logo")
	expect(commit("fix: no logo"), "added logo, which the fix deletes", "create mode 100644", "root")
	expect(h.Commit("fix: the logo is needed", gittest.Files{"logo": "a\x00b"}), "deleted logo, which the fix adds again", "delete mode 100644", "fix: no logo")
	module("add a module", "a")
	module("update the module", "b")
	expect(module("fix the module", "a"), "set the submodule lib to bbbbbbbbbbbb", "aaaaaaaaaaaa => bbbbbbbbbbbb", "update the module")
}

// git does not know the new object of a file of the work tree of which only the mode is changed.
func TestWholeFileOfTheWorkTree(t *testing.T) {
	h := newHistory(t)
	h.Commit("root", gittest.Files{"run.sh": "exit 0\n"})
	h.Git("update-index", "--chmod=+x", "run.sh")
	h.Git("commit", "-q", "-m", "mode")
	h.Git("checkout", "-q", "--", ".")
	if err := os.Chmod(filepath.Join(h.Dir, "run.sh"), 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := Settle(t.Context(), h.Open(), h.context(h.Head(), ContextOptions{Source: SourceWorktree}), "rank")
	if err != nil || len(v.Suspects) != 1 || v.Suspects[0].Reason != "set the mode of run.sh to 100755" {
		t.Errorf("%+v, %v", v, err)
	}
}
