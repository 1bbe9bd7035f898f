package history

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Search finds the commit that removed a guard from a suspected function, by a name in the
// failing test, and shows its hunk. Removals elsewhere are not found.
func TestSearchFindsTheRemovedGuard(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	file := func(guard, other string) gittest.Files {
		return gittest.Files{"p.go": "package p\n\nfunc Show(c *Cmd) {\n" + guard + "\tprint(c)\n\tprint(1)\n\tprint(2)\n\tprint(3)\n\tprint(4)\n}\n\nfunc Other() {\n" + other + "\tprint(5)\n}\n"}
	}
	guard, other := "\tif c.HideHelp {\n\t\treturn\n\t}\n", "\tsetUpAll()\n"
	h.Commit("first", file("", other))
	h.Commit("add the guard", file(guard, other))
	h.Commit("tidy up", file("", other))
	h.Commit("leave", file("", ""))
	repo := h.Open()
	loc := []fix.Location{{Path: "p.go", Function: "Show", Lines: gitext.LineRange{Start: 3, End: 9}}}
	found, err := Search(t.Context(), repo, fix.Tree{Commit: h.Head()}, loc, []string{"setUpAll", "HideHelp", "print"})
	if err != nil || len(found) != 1 || found[0].Commit.Subject() != "tidy up" || !found[0].Gone {
		t.Fatalf("%+v, %v", found, err)
	}
	got := RenderFound(found)
	for _, want := range []string{": tidy up\n", `It took "HideHelp" out of p.go`, "\n-\tif c.HideHelp {\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	text, err := Writers(t.Context(), repo, fix.Tree{Commit: h.Head()}, loc)
	if err != nil || !strings.HasPrefix(text, "Show in p.go:\n    ") || !strings.HasSuffix(text, ": first: 3-8") && !strings.Contains(text, ": first: 3") {
		t.Errorf("%v\n%s", err, text)
	}
}

// Of the first function six commits are listed, and of each other one three, with a few ranges of
// lines: the list took a thousand tokens of the first message.
func TestWritersAreFew(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const lines, commits = 40, 10
	text := func(n int) string {
		var b strings.Builder
		for f := range 2 {
			fmt.Fprintf(&b, "func F%d() {\n", f)
			for l := range lines {
				fmt.Fprintf(&b, "\tprint(%d, %d)\n", l, min(n, l%commits))
			}
			b.WriteString("}\n\n")
		}
		return "package p\n\n" + b.String()
	}
	for n := range commits {
		h.Commit(fmt.Sprintf("change %d with a subject that goes on and on and on and on and on", n), gittest.Files{"p.go": text(n)})
	}
	at := func(i int) fix.Location {
		start := 3 + i*(lines+3)
		return fix.Location{Path: "p.go", Function: fmt.Sprintf("F%d", i), Lines: gitext.LineRange{Start: start, End: start + lines + 1}}
	}
	got, err := Writers(t.Context(), h.Open(), fix.Tree{Commit: h.Head()}, []fix.Location{at(0), at(1)})
	if err != nil {
		t.Fatal(err)
	}
	first, second, _ := strings.Cut(got, "F1 in p.go:\n")
	if strings.Count(first, ": change") != maxWriters || !strings.Contains(first, "and 4 commits before") ||
		strings.Count(second, ": change") != maxOtherWriters || !strings.Contains(second, "and 7 commits before") || len(got) > 1400 {
		t.Errorf("%d bytes\n%s", len(got), got)
	}
}

// A commit that deleted a whole file, which came back, took no text out of it (commons-text moved its
// packages away and back).
func TestSearchPassesOverMoves(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	file := gittest.Files{"p.go": "package p\n\nfunc Show(c *Cmd) {\n\tif c.HideHelp {\n\t\treturn\n\t}\n\tprint(c)\n}\n", "a.go": "package p\n"}
	h.Commit("first", gittest.Files{"a.go": "package p\n"})
	h.Commit("add", file)
	h.Git("rm", "-q", "p.go")
	h.Commit("move away", gittest.Files{"q/p.go": file["p.go"]})
	h.Commit("move back", file)
	loc := []fix.Location{{Path: "p.go", Function: "Show", Lines: gitext.LineRange{Start: 3, End: 8}}}
	found, err := Search(t.Context(), h.Open(), fix.Tree{Commit: h.Head()}, loc, []string{"HideHelp"})
	if err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
