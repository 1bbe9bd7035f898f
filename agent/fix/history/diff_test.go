package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func lineRange(at int) gitext.LineRange { return gitext.LineRange{Start: at, End: at} }

// flDiff returns the diff of the commit that wrote a line of the head.
func flDiff(t *testing.T, repo *gitext.Repo, commit gitext.OID, path string, line int) Diff {
	t.Helper()
	found := find(t, repo, fix.Tree{Commit: commit}, hot(path, lineRange(line), line, line))
	if len(found.Blamed) == 0 {
		t.Fatalf("no commit; notes %q", found.Notes)
	}
	d, err := FlDiff(t.Context(), repo, found.Blamed[0], false)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// spread is a file of n functions of ten lines each; in those that are changed, the
// fifth line is another one.
func spread(n int, changed ...int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "int f%d(int a)\n{\n", i)
		for j := 3; j <= 8; j++ {
			if j == 5 && slices.Contains(changed, i) {
				fmt.Fprintf(&b, "    a = changed(%d);\n", i)
				continue
			}
			fmt.Fprintf(&b, "    a += %d * %d;\n", i, j)
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func TestDiffIsCutBetweenHunks(t *testing.T) {
	// A small diff is shown as it is. Of a large one, the hunk with the blamed line is
	// always shown, then the nearest ones that fit; the others are counted.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": spread(30)})
	all := make([]int, 30)
	for i := range all {
		all[i] = i
	}
	h.Commit("second", gittest.Files{"a.c": spread(30, all...), "b.c": "int b;\n"})
	d := flDiff(t, h.Open(), h.Head(), "a.c", 205) // in f20
	whole := diffText(d, 1<<20)
	if len(whole.said) > 0 || strings.Count(whole.text, "\n@@") != 29 || len(whole.text)+1 != diffSize(d) {
		t.Errorf("%d bytes of %d, %q", len(whole.text), diffSize(d), whole.said)
	}
	for room, hunks := range map[int]int{0: 1, 300: 1, 600: 3} {
		got := diffText(d, room)
		if n := strings.Count("\n"+got.text, "\n@@"); n != hunks || !strings.Contains(got.text, "+    a = changed(20);") || room > 0 && len(got.text) > room {
			t.Errorf("room %d: %d bytes, %d hunks:\n%s", room, len(got.text), n, got.text)
		}
		want := fmt.Sprintf("%d more hunks of this file with %d changed lines not shown", 30-hunks, 2*(30-hunks))
		if room > 0 && !slices.Contains(got.said, want) {
			t.Errorf("room %d: said %q, want %q", room, got.said, want)
		}
	}
	if got := diffText(d, 600).text; !strings.Contains(got, "changed(19)") || !strings.Contains(got, "changed(21)") {
		t.Errorf("not the nearest hunks:\n%s", got)
	}
}

func TestDiffOfALargeHunkIsCutToTheFunction(t *testing.T) {
	// A hunk that does not fit is cut to the function with the blamed line, and to fewer
	// lines around it if that does not fit. The hunk's header fits what is shown.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": spread(60)})
	d := flDiff(t, h.Open(), h.Head(), "a.c", 205)
	got := diffText(d, 1000)
	want := "@@ -0,0 +198,13 @@ int f19(int a)\n"
	if !strings.HasPrefix(got.text, want) || !strings.Contains(got.text, "+int f20(int a)") || strings.Contains(got.text, "int f21") || len(got.text) > 1000 {
		t.Errorf("%s", got.text)
	}
	if len(got.said) != 1 || got.said[0] != "13 of 600 changed lines of this hunk shown" {
		t.Errorf("%q", got.said)
	}
	if got := diffText(d, 120).text; strings.Count(got, "\n") > 4 || !strings.Contains(got, "+    a += 20 * 5;") {
		t.Errorf("%s", got)
	}
}

func TestPartsOfAHunkAreHunks(t *testing.T) {
	// Each part of a hunk has the line numbers that its lines have in the whole.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("1", "2", "3", "4", "5", "6", "7", "8")})
	second := h.Commit("second", gittest.Files{"a.c": gittest.Lines("0", "1", "3", "x", "y", "6", "7", "8", "9")})
	repo := h.Open()
	c, err := repo.Commit(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	for _, parent := range []gitext.OID{c.Parents[0], ""} {
		patch, err := repo.Patch(t.Context(), parent, second, gitext.PatchOptions{Context: 3})
		if err != nil {
			t.Fatal(err)
		}
		whole := patch.Files[0].Hunks[0]
		for from := range whole.Lines {
			for to := from + 1; to <= len(whole.Lines); to++ {
				checkHeader(t, part(whole, from, to))
			}
		}
	}
}

// checkHeader checks that the header of a hunk fits its lines.
func checkHeader(t *testing.T, h gitext.Hunk) {
	t.Helper()
	old, new := 0, 0
	for _, l := range h.Lines {
		if l.Op != '+' {
			if old == 0 && l.Old != h.OldStart {
				t.Errorf("first old line %d, header %s", l.Old, hunkHeader(h))
			}
			old++
		}
		if l.Op != '-' {
			if new == 0 && l.New != h.NewStart {
				t.Errorf("first new line %d, header %s", l.New, hunkHeader(h))
			}
			new++
		}
	}
	if old != h.OldLines || new != h.NewLines {
		t.Errorf("%d and %d lines, header %s", old, new, hunkHeader(h))
	}
}

func TestDiffOfAMerge(t *testing.T) {
	// A merge is compared with the parent that had the line's file. Only its own changes are
	// shown, not the merged ones.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": spread(20)})
	h.Git("checkout", "-q", "-b", "side")
	h.Commit("side", gittest.Files{"a.c": spread(20, 15)})
	h.Git("checkout", "-q", "main")
	h.Commit("main", gittest.Files{"a.c": spread(20, 2)})
	h.Git("merge", "-q", "--no-commit", "side")
	h.Commit("merge", gittest.Files{"a.c": spread(20, 2, 9, 15)})
	repo := h.Open()
	got := find(t, repo, fix.Tree{Commit: h.Head()}, hot("a.c", lineRange(95), 95, 95))
	check(t, got, "merge: 95")
	if b := got.Blamed[0]; !slices.Contains(b.Commit.Parents, b.Parent) || b.Changed != 1 || len(b.Commit.Parents) != 2 || b.Root {
		t.Errorf("%+v", b)
	}
	d := flDiff(t, repo, h.Head(), "a.c", 95)
	if text := diffText(d, 1<<20).text; len(d.Hunks) != 1 || !strings.Contains(text, "+    a = changed(9);") {
		t.Errorf("%d hunks:\n%s", len(d.Hunks), text)
	}
	pair, err := FnPair(t.Context(), repo, got.Blamed[0])
	if err != nil || pair.Before.Name != "f9" || pair.After.Name != "f9" {
		t.Errorf("%+v %v", pair, err)
	}
}

func TestDiffOfOtherFiles(t *testing.T) {
	// The commit's changes of other files follow those of the faulty file, programs first, in
	// the room that the faulty file does not need. Each hunk is whole, and omitted hunks are
	// counted. Files of secrets are never shown.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"a.c": spread(3), "b.c": spread(20), "NEWS": "old\n", "a_test.c": spread(1), ".env": "KEY=old\n"})
	h.Commit("one", gittest.Files{"a.c": spread(3, 1), "b.c": spread(20, 3, 17), "NEWS": "new\n", "a_test.c": spread(1, 0), ".env": "KEY=new\n"})
	repo := h.Open()
	found := find(t, repo, fix.Tree{Commit: h.Head()}, hot("a.c", lineRange(15), 15, 15))
	text, said := rendered(t, repo, found, 2000, fix.FlDiff)
	at := 0
	for _, want := range []string{"fl_diff: what it changed in a.c:\n", "changed(1)", "fl_diff: what it changed in other files:\n", "--- b.c\n", "changed(3)", "changed(17)", "--- a_test.c\n", "--- NEWS\n", "+new"} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q in its place in\n%s", want, text)
		}
		at += i
	}
	if len(said) > 0 || strings.Contains(text, "KEY") || strings.Contains(text, ".env:") {
		t.Errorf("said %q:\n%s", said, text)
	}
	text, said = rendered(t, repo, found, 260, fix.FlDiff)
	if !strings.Contains(text, "changed(1)") || !strings.Contains(text, "changed(3)") || strings.Contains(text, "changed(17)") {
		t.Errorf("with little room:\n%s", text)
	}
	if want := "2 hunks with 1 whole file not shown"; !strings.Contains(text, want) || len(said) != 1 || !strings.HasSuffix(said[0], want) {
		t.Errorf("said %q:\n%s", said, text)
	}
	found.Blamed[0].Commit.Message = "refactor it\n"
	if text, _ := rendered(t, repo, found, 2000, fix.FlDiff); strings.Contains(text, "in other files") {
		t.Errorf("of a refactoring:\n%s", text)
	}
}

func TestDiffWithoutWhiteSpace(t *testing.T) {
	// A long diff that mostly changes indentation is shown without these changes, with a note,
	// except in languages with meaningful indentation. Line ends of Windows are not shown.
	t.Parallel()
	h := gittest.New(t)
	indented := strings.ReplaceAll(spread(60, 20), "    a", "        a")
	h.Commit("zero", gittest.Files{"a.c": spread(60), "a.py": spread(60), "w.c": strings.ReplaceAll(spread(3), "\n", "\r\n")})
	h.Commit("one", gittest.Files{"a.c": indented, "a.py": indented, "w.c": strings.ReplaceAll(spread(3, 1), "\n", "\r\n")})
	repo := h.Open()
	for path, spaceless := range map[string]bool{"a.c": true, "a.py": false} {
		found := find(t, repo, fix.Tree{Commit: h.Head()}, hot(path, lineRange(205), 205, 205))
		d, err := leanDiff(t.Context(), repo, found.Blamed[0])
		if err != nil {
			t.Fatal(err)
		}
		if d.NoSpace != spaceless || spaceless && (len(d.Hunks) != 1 || !strings.Contains(strings.Join(diffText(d, 1<<20).said, ""), "white space")) {
			t.Errorf("%s: %d hunks, without white space %v", path, len(d.Hunks), d.NoSpace)
		}
	}
	if text := diffText(flDiff(t, repo, h.Head(), "w.c", 15), 1000).text; !strings.Contains(text, "\n+    a = changed(1);\n") {
		t.Errorf("%q", text)
	}
}

func TestDiffOfACommitThatCannotBeRead(t *testing.T) {
	// A commit whose parent is missing has no diff, and the text says so.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": spread(2)})
	h.Commit("second", gittest.Files{"a.c": spread(2, 1)})
	repo := h.Open()
	b := find(t, repo, fix.Tree{Commit: h.Head()}, hot("a.c", lineRange(15), 15, 15)).Blamed[0]
	b.Parent = gitext.OID(strings.Repeat("12", 20))
	text, _, err := Render(t.Context(), repo, &fix.History{Blamed: []fix.Blamed{b}}, fix.Heuristics, 1000)
	if err != nil || !strings.Contains(text, "the diff of a.c cannot be read") {
		t.Errorf("%q %v", text, err)
	}
}
