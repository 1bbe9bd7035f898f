package testcmd

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The new tests of a tree are those of its last commits, if these change nothing but tests.
func TestCommittedNewTests(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	code := h.Commit("code", gittest.Files{"n.go": "package n\n", "n_test.go": "package n\n", "go.mod": "module n\n"})
	h.Commit("a test", gittest.Files{"n_test.go": "package n // one\n", "README.md": "tested\n"})
	one := h.Commit("another test", gittest.Files{"m_test.go": "package n // two\n"})
	h.Git("rm", "-q", "m_test.go")
	h.Git("commit", "-q", "-m", "no other test")
	removed := h.Head()
	expect := func(tip gitext.OID, before gitext.OID, tests ...string) {
		t.Helper()
		tree, err := WithNewTests(t.Context(), h.Open(), fix.Tree{Commit: tip})
		slices.Sort(tree.Tests)
		if err != nil || tree.Before != before || !slices.Equal(tree.Tests, tests) {
			t.Errorf("before %q: %q, %v; want %q: %q", tree.Before, tree.Tests, err, before, tests)
		}
	}
	expect(code, "")
	expect(one, code, "m_test.go", "n_test.go")
	expect(removed, code, "n_test.go")
	expect(h.Commit("more code", gittest.Files{"n.go": "package n // more\n", "n_test.go": "package n // three\n"}), "")

	h.Git("checkout", "-q", string(one))
	over := []gitext.Overlay{{Path: "n.go", Mode: 0o100644, Content: []byte("package n // changed\n")}}
	if tree, err := WithNewTests(t.Context(), h.Open(), fix.Tree{Commit: one, Over: over}); err != nil || tree.Before != "" {
		t.Errorf("with uncommitted changes: %+v, %v", tree, err)
	}
	// The command runs the committed new tests first, as it does with uncommitted ones.
	h = gittest.New(t)
	h.Commit("code", gittest.Files{"package.json": `{"scripts":{"test":"node --test"}}`, "a.js": "1\n", "test/b.test.js": "1\n"})
	tree, err := WithNewTests(t.Context(), h.Open(), fix.Tree{Commit: h.Commit("test", gittest.Files{"test/a.test.js": "2\n"})})
	if err != nil {
		t.Fatal(err)
	}
	list, err := Propose(t.Context(), h.Open(), tree, tree.Tests[0])
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	if !list[0].Part || list[0].ByName || !strings.HasSuffix(list[0].Test, "test/a.test.js") {
		t.Errorf("the first proposal is %+v", list[0])
	}
}
