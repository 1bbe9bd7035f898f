package szz

import (
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gittest"
)

func pathsOf(files []gitext.FileChange) string {
	var paths []string
	for _, f := range files {
		paths = append(paths, f.NewPath)
	}
	return strings.Join(paths, " ")
}

// A file that a program wrote is set apart where the fix changes hand-written source, and kept where it does not.
func TestGeneratedFiles(t *testing.T) {
	h := newHistory(t)
	const mark = "/* A Bison parser, made by GNU Bison 3.8.2.  */\n"
	h.Commit("root", gittest.Files{"parser.y": "a\n", "parser.c": mark + "1,\n2,\n", "parser.h": mark + "1\n", "doc.md": "a\n"})

	both := h.Commit("fix the grammar", gittest.Files{"parser.y": "b\n", "parser.c": mark + "1,\n3,\n", "parser.h": mark + "2\n", "doc.md": "b\n"})
	fc := h.context(both, ContextOptions{})
	if got := pathsOf(fc.Patch.Files); got != "doc.md parser.y" {
		t.Errorf("the fix changes %s", got)
	}
	if got := pathsOf(fc.Generated); got != "parser.c parser.h" {
		t.Errorf("generated are %s", got)
	}
	if got := pathsOf(fc.WholePatch().Files); got != "doc.md parser.y parser.c parser.h" {
		t.Errorf("the whole patch changes %s", got)
	}
	const note = `"parser.c" and 1 more file say that a program wrote them; they are not traced`
	if got := strings.Join(fc.Notes, "; "); got != note {
		t.Errorf("notes: %s", got)
	}

	alone := h.Commit("fix the tables", gittest.Files{"parser.c": mark + "1,\n4,\n", "parser.h": mark + "4\n", "doc.md": "c\n"})
	fc = h.context(alone, ContextOptions{})
	if got := pathsOf(fc.Patch.Files); got != "doc.md parser.c parser.h" || len(fc.Generated) > 0 {
		t.Errorf("the fix changes %s, generated are %d", got, len(fc.Generated))
	}
}

// The commit of a submodule is no file of this repository: to read it counted as a missing object, and the answer
// said that the clone is damaged.
func TestSubmoduleIsNotRead(t *testing.T) {
	h := newHistory(t)
	h.Commit("root", gittest.Files{"main.c": "1,\n"})
	h.Write(gittest.Files{"main.c": "2,\n"})
	h.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("a", len(h.Head()))+",lib", "main.c")
	h.Git("commit", "-q", "-m", "add the library")
	fix := h.Head()
	ctx, unread := gitcmd.CountUnread(t.Context())
	fc, err := NewContext(ctx, h.Open(), fix, ContextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := pathsOf(fc.Patch.Files); got != "lib main.c" {
		t.Errorf("the fix changes %s", got)
	}
	if u := unread(); u.Missing != 0 {
		t.Errorf("%d objects were missing: %v", u.Missing, u.Objects)
	}
}
