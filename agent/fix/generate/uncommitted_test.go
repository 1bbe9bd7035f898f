package generate

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Uncommitted changes are undone first: a hunk in an otherwise unsuspected file, and a deleted
// file. Tests and new files are left alone.
func TestUncommittedChangesAreUndoneFirst(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const before = "package p\n\nfunc f() int { return 1 }\n\nfunc g() int { return 2 }\n\nfunc h() int { return 3 }\n"
	h.Commit("one", gittest.Files{"a.go": before, "gone.go": "package p\n", "a_test.go": "package p\n", "b.go": "package p\n\nfunc k(n int) bool {\n\treturn n < 1\n}\n"})
	file := func(path, text string) gitext.Overlay {
		return gitext.Overlay{Path: path, Mode: 0o100644, Content: []byte(text)}
	}
	const one = "package p\n\nfunc f() int { return 10 }\n\nfunc g() int { return 2 }\n\nfunc h() int { return 3 }\n"
	const both = "package p\n\nfunc f() int { return 10 }\n\nfunc g() int { return 2 }\n\n// h\nfunc h() int { return 30 }\n"
	list := collect(t, h, "b.go", "func k", "}", Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{
		file("a.go", both), file("a_test.go", "package p // changed\n"), file("new.go", "package p\n"), {Path: "gone.go"},
	}}}})
	c := find(list, Hunk, one)
	if c == nil || c.Origin != "reverts a hunk of the uncommitted changes" || c.Commit != "" {
		t.Fatalf("%+v", list)
	}
	if find(list, FileHunks, before) == nil && find(list, Hunks, before) == nil {
		t.Error("the changes of a file are not undone together")
	}
	const three = "package p\n\nfunc f() int { return 10 }\n\nfunc g() int { return 20 }\n\nfunc h() int { return 30 }\n"
	for _, c := range collect(t, h, "b.go", "func k", "}", Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{file("a.go", three)}}}}) {
		if string(c.Files[0].Content) == before && c.Origin != "reverts all uncommitted changes of the file" {
			t.Errorf("several hunks, which are no function: %s", c.Origin)
		}
	}
	if c := find(list, FileHunks, "package p\n"); c == nil || c.Files[0].Path != "gone.go" || c.Files[0].Mode != 0o100644 {
		t.Errorf("%+v", c)
	}
	for i, c := range list {
		if c.Kind == Mutation && i < 4 {
			t.Errorf("candidate %d is %+v", i, c)
		}
		if p := c.Files[0].Path; p == "a_test.go" || p == "new.go" {
			t.Errorf("%+v", c)
		}
	}
}

// A unit test of Rust is no change that is undone, committed or not; the code beside it is.
func TestUnitTestsAreNotUndone(t *testing.T) {
	t.Parallel()
	const head, tests, own = "fn f() -> i32 {\n    ", "\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n", "    #[test]\n    fn f_is_two() {\n        assert_eq!(2, f());\n    }\n"
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"src/lib.rs": head + "2" + tests + "}\n"})
	undone := func(in Input) []Candidate {
		list := collect(t, h, "src/lib.rs", "fn f", "}", in)
		for _, c := range list {
			if !strings.Contains(string(c.Files[0].Content), own) {
				t.Errorf("%s: %s", c.Origin, c.Files[0].Content)
			}
		}
		return list
	}
	over := []gitext.Overlay{{Path: "src/lib.rs", Mode: 0o100644, Content: []byte(head + "1" + tests + own + "}\n")}}
	if list := undone(Input{Problem: fix.Problem{Tree: fix.Tree{Over: over}}}); find(list, Hunk, head+"2"+tests+own+"}\n") == nil {
		t.Errorf("the uncommitted change of the code is not undone: %+v", list)
	}
	h.Commit("two", gittest.Files{"src/lib.rs": head + "1" + tests + own + "}\n"})
	if list := undone(Input{}); len(list) == 0 {
		t.Error("nothing is tried")
	}
	for _, c := range Undo(t.Context(), h.Open(), Input{Problem: fix.Problem{Tree: fix.Tree{Commit: h.Head()}}}, h.Head()) {
		if !strings.Contains(string(c.Files[0].Content), own) {
			t.Errorf("%s: %s", c.Origin, c.Files[0].Content)
		}
	}
}

// Hunks between two texts are those of a patch without context.
func TestHunksBetween(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"a\nb\nc\n", "a\nx\nc\n"}, {"a\nb\nc\n", "a\nc\n"}, {"a\n", "a\nb\n"}, {"", "a\n"}, {"a\nb\n", "b\nc\n"}, {"a\n\nb\n", "\nb\n\n"}} {
		ch := &change{after: source.SplitLines([]byte(c[1])), hunks: fix.HunksBetween([]byte(c[0]), []byte(c[1]))}
		for i := range ch.hunks {
			ch.mine = append(ch.mine, i)
		}
		if got := string(joinLines(ch.without(ch.mine))); got != c[0] {
			t.Errorf("%q to %q: undone %q, %+v", c[0], c[1], got, ch.hunks)
		}
	}
}

// In a file with uncommitted changes, the last commit's changes are undone too, and the
// uncommitted changes stay.
func TestCommitsAreUndoneUnderUncommittedChanges(t *testing.T) {
	t.Parallel()
	const head, tail = "package p\n\n// f counts.\nfunc f(n int) int {\n\tn--\n", "\tn--\n\tn--\n\treturn n\n}\n"
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.go": head + "\tn += 2\n" + tail})
	last := h.Commit("two", gittest.Files{"a.go": head + "\tn += 3\n" + tail})
	changed := func(line string) string {
		return "// New.\n" + head + line + "\tn--\n\tn *= 7\n\tn--\n\treturn n\n}\n"
	}
	over := gitext.Overlay{Path: "a.go", Mode: 0o100644, Content: []byte(changed("\tn += 3\n"))}
	list := collect(t, h, "a.go", "func f", "}", Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{over}}}})
	if c := find(list, Hunk, changed("\tn += 2\n")); c == nil || c.Commit != last {
		t.Errorf("%+v", c)
	}
}

// Uncommitted lines have no number in the commit; all other lines have the same text in both
// versions.
func TestCommittedLines(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"a\nb\nc\nd\n", "x\na\nb\ny\nd\nz\n"}, {"a\nb\nc\n", "c\n"}, {"a\n", "b\na\nb\n"}, {"a\nb\n", "a\nb\nc\nd\n"}} {
		h := gittest.New(t)
		tip := h.Commit("one", gittest.Files{"f": c[0]})
		before, after := source.SplitLines([]byte(c[0])), source.SplitLines([]byte(c[1]))
		over := gitext.Overlay{Path: "f", Mode: 0o100644, Content: []byte(c[1])}
		g := &generator{ctx: t.Context(), repo: h.Open(), tree: newTree(t.Context(), h.Open(), fix.Tree{Commit: tip, Over: []gitext.Overlay{over}})}
		now := g.committed(&site{path: "f", content: over.Content, extent: source.Extent{Start: 1, End: len(after)}})
		kept := 0
		for _, h := range fix.HunksBetween([]byte(c[0]), []byte(c[1])) {
			kept -= h.OldLines
		}
		if kept += len(before); len(now) != kept {
			t.Errorf("%q: %v, and %d lines stay", c, now, kept)
		}
		for was, is := range now {
			if string(before[was-1]) != string(after[is-1]) {
				t.Errorf("%q: line %d is not line %d", c, was, is)
			}
		}
	}
}
