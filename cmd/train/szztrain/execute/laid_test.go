package execute

import (
	"slices"
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// What is laid over the commits of a proof has only its tests: other test files of a Go package are
// removed, even those that the fix no longer has, and other tests of Rust and Java are left out.
func TestLaidOf(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("old", gittest.Files{"p/old_test.go": "package p\n"})
	fix := h.Commit("fix it", gittest.Files{
		"p/old_test.go": gittest.Gone, "p/p.go": "package p\n",
		"p/a_test.go":    "package p\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { help(t) }\n\nfunc TestB(t *testing.T) { newer() }\n",
		"p/help_test.go": "package p\n\nimport \"testing\"\n\nfunc help(t *testing.T) {}\n", "p/other_test.go": "package p\n\nvar x = newer()\n",
		"p/testdata/a": "data\n",
		"src/lib.rs":   "pub fn f() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn old() {}\n\n    #[test]\n    fn broke() {}\n}\n",
		"tests/t.rs":   "#[test]\nfn old() {}\n\n#[test]\nfn broke() {}\n",
	})
	repo := h.Open()
	laid, err := LaidOf(t.Context(), repo, fix, Proof{
		Language: "Go", Tests: []string{"m/p:TestA/sub"}, Files: []string{"p/a_test.go", "p/testdata/a"}, Alone: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, gone := laid.names()
	if want := []string{"p/a_test.go", "p/help_test.go", "p/testdata/a"}; !slices.Equal(kept, want) || strings.Contains(*laid.Files[want[0]], "TestB") {
		t.Errorf("laid over each commit: %v", kept)
	}
	if want := []string{"p/old_test.go", "p/other_test.go"}; !slices.Equal(gone, want) {
		t.Errorf("removed from each commit: %v", gone)
	}
	laid, err = LaidOf(t.Context(), repo, fix, Proof{
		Language: "Rust", Tests: []string{"broke", "tests::broke"}, Files: []string{"src/lib.rs", "tests/t.rs"}, Alone: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, _ = laid.names()
	for _, text := range []string{*laid.Files["tests/t.rs"], string(laid.Modules["src/lib.rs"])} {
		if !strings.Contains(text, "fn broke") || strings.Contains(text, "fn old") || strings.Contains(text, "pub fn f") {
			t.Errorf("laid over each commit:\n%s", text)
		}
	}
	if !slices.Equal(kept, []string{"tests/t.rs"}) {
		t.Errorf("laid over each commit: %v", kept)
	}
	laid, err = LaidOf(t.Context(), repo, fix, Proof{Language: "Rust", Tests: []string{"broke"}, Files: []string{"tests/t.rs"}})
	if err != nil || !strings.Contains(*laid.Files["tests/t.rs"], "fn old") {
		t.Errorf("tests that were run with the others: %v, %v", laid, err)
	}
}

// names lists the files that are laid over commits, and those that are removed from them.
func (l *Laid) names() (kept, gone []string) {
	for name, text := range l.Files {
		if text == nil {
			gone = append(gone, name)
		} else {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	slices.Sort(gone)
	return kept, gone
}
