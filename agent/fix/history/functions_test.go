package history

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

func TestFunctionsNameTheirType(t *testing.T) {
	// Methods are named with the receiver's type or the class, where the heading has it.
	t.Parallel()
	for _, c := range []struct{ path, text, want string }{
		{"a.go", "func f() {\n}\n\nfunc (r *Repo) Blame(ctx C) error {\n}\n\nfunc (List[T]) Len() int {\n}\n", "f Repo.Blame List.Len"},
		{"a.cc", "void ns::Foo::f(int a)\n{\n}\n\nint g(ns::T t)\n{\n}\n", "Foo.f g"},
		{"a.js", "var f = function f(a) {\n    return a;\n};\n", "f"},
	} {
		var got []string
		for _, f := range functions(c.path, splitLines([]byte(c.text))) {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.path, got, c.want)
		}
	}
}

func TestFnAll(t *testing.T) {
	// The functions of all program files that the commit changed are named, the faulty
	// file's first, with those that it changed. Tests, documents, deleted files and files
	// without functions are left out.
	t.Parallel()
	h := gittest.New(t)
	two := func(a, b string) string {
		return gittest.Lines("package a", "", "func one() {", "\t"+a, "}", "", "func two() {", "\t"+b, "}")
	}
	h.Commit("first", gittest.Files{"z.go": two("x()", "y()"), "a.go": two("x()", "y()"), "same.go": two("x()", "y()"), "old.go": two("x()", "y()"), "doc.md": "d\n"})
	h.Commit("second", gittest.Files{"z.go": two("x()", "z()"), "a.go": two("y()", "y()"), "new.go": two("x()", "y()"),
		"old.go": gittest.Gone, "z_test.go": two("x()", "y()"), "doc.md": "e\n", "const.go": "package a\n"})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, fix.Location{Path: "z.go"})
	got, err := FnAll(t.Context(), repo, found.Blamed[0])
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, f := range got {
		text = append(text, f.Path+": "+strings.Join(f.Names, " ")+"; "+strings.Join(f.Changed, " "))
	}
	want := []string{"z.go: one two; two", "a.go: one two; one", "new.go: one two; "}
	if !slices.Equal(text, want) {
		t.Errorf("%q, want %q", text, want)
	}
}

func TestFnPair(t *testing.T) {
	// The function is found before the commit by its name, or by its lines if it had another
	// one. A function that the commit created has no text before it.
	t.Parallel()
	h := gittest.New(t)
	f := func(name string, lines ...string) string {
		return "int " + name + "(int a)\n{\n    " + strings.Join(lines, "\n    ") + "\n}\n\n"
	}
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": f("head", "a = 0;") + f("body", "a += 1;", "a += 2;", "a += 3;") + f("gone", "a -= 7;", "a -= 8;")})
	h.Commit("second", gittest.Files{"a.c": f("born", "a = 9;", "a = 8;", "a = 7;", "a = 6;") + f("tail", "a += 1;", "a += 2;", "a += 4;") + f("head", "a = 5;")})
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	for _, c := range []struct {
		line          int
		after, before string
	}{
		{4, "born 1", ""},
		{13, "tail 9", "body 6"},
		{18, "head 16", "head 1"},
		{15, "", ""}, // between functions
	} {
		found := find(t, repo, tree, hot("a.c", lineRange(c.line), c.line, c.line))
		if len(found.Blamed) == 0 {
			t.Fatalf("line %d: no commit", c.line)
		}
		pair, err := FnPair(t.Context(), repo, found.Blamed[0])
		if err != nil {
			t.Fatal(err)
		}
		if got := bodyName(pair.After); got != c.after {
			t.Errorf("line %d: after %q, want %q", c.line, got, c.after)
		}
		if got := bodyName(pair.Before); got != c.before {
			t.Errorf("line %d: before %q, want %q", c.line, got, c.before)
		}
	}
}

func bodyName(b Body) string {
	if len(b.Lines) == 0 {
		return ""
	}
	return b.Name + " " + spans([]int{b.Start})
}
