package generate

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// What the user changed and did not commit is undone first: a hunk of it in a file that
// nothing else suspects, and a file that is gone. Tests and new files are left alone.
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

// Hunks between two texts are those of a patch without context.
func TestHunksBetween(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"a\nb\nc\n", "a\nx\nc\n"}, {"a\nb\nc\n", "a\nc\n"}, {"a\n", "a\nb\n"}, {"", "a\n"}, {"a\nb\n", "b\nc\n"}, {"a\n\nb\n", "\nb\n\n"}} {
		ch := &change{after: splitLines([]byte(c[1])), hunks: hunksBetween([]byte(c[0]), []byte(c[1]))}
		for i := range ch.hunks {
			ch.mine = append(ch.mine, i)
		}
		if got := string(joinLines(ch.without(ch.mine))); got != c[0] {
			t.Errorf("%q to %q: undone %q, %+v", c[0], c[1], got, ch.hunks)
		}
	}
}
