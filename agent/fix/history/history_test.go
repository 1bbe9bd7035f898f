package history

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// find runs Find and fails the test on an error.
func find(t *testing.T, repo *gitext.Repo, tree fix.Tree, loc ...fix.Location) *fix.History {
	t.Helper()
	h, err := Find(t.Context(), repo, tree, loc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestFindNamesTheCommitsThatWroteTheLines(t *testing.T) {
	// Each commit that wrote a hot line is found, with the line's number at the tree
	// and in the commit, and the file's name before it.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.go": gittest.Lines("package a", "", "func f() int {", "\treturn 1", "}")})
	second := h.Commit("second", gittest.Files{"a.go": gittest.Lines("package a", "", "func f() int {", "\tx := 2", "\treturn x", "}"), "b.go": "package a\n"})
	tip := h.Commit("third", gittest.Files{"a.go": gittest.Lines("package a", "", "// f is it.", "func f() int {", "\tx := 2", "\treturn x", "}")})
	got := find(t, h.Open(), fix.Tree{Commit: tip}, fix.Location{Path: "a.go", Function: "f", Lines: gitext.LineRange{Start: 4, End: 7}, Hot: []gitext.LineRange{{Start: 5, End: 6}}})
	if len(got.Blamed) != 1 {
		t.Fatalf("%+v", got)
	}
	b := got.Blamed[0]
	if b.Commit.OID != second || b.Path != "a.go" || b.Previous != "a.go" || b.Distance != 1 || b.Changed != 2 || b.Root || b.Nearby ||
		len(b.Lines) != 2 || b.Lines[0] != 5 || b.OrigLine[0] != 4 || strings.Join(b.Files, " ") != "a.go b.go" {
		t.Errorf("%+v", b)
	}
}
