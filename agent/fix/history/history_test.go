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

// find runs Find and fails the test on an error.
func find(t *testing.T, repo *gitext.Repo, tree fix.Tree, loc ...fix.Location) *fix.History {
	t.Helper()
	h, err := Find(t.Context(), repo, tree, loc, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hot is a location with one hot range.
func hot(path string, lines gitext.LineRange, start, end int) fix.Location {
	return fix.Location{Path: path, Lines: lines, Hot: []gitext.LineRange{{Start: start, End: end}}}
}

// described writes the entries of a history as "subject: lines", with a mark for those
// that are near or root.
func described(h *fix.History) []string {
	var out []string
	for _, b := range h.Blamed {
		s := fmt.Sprintf("%s: %s", b.Commit.Subject(), spans(b.Lines))
		if b.Nearby {
			s += " near"
		}
		if b.Root {
			s += " root"
		}
		out = append(out, s)
	}
	return out
}

func check(t *testing.T, h *fix.History, want ...string) {
	t.Helper()
	if got := described(h); !slices.Equal(got, want) {
		t.Errorf("%q, want %q; notes %q", got, want, h.Notes)
	}
}

// numbered returns n lines of code of a function, with some replaced.
func numbered(n int, replaced map[int]string) string {
	lines := []string{"int f(int a)", "{"}
	for i := 3; i < n; i++ {
		lines = append(lines, fmt.Sprintf("    a += %d;", i))
	}
	lines = append(lines, "}")
	for at, text := range replaced {
		lines[at-1] = text
	}
	return gittest.Lines(lines...)
}

func TestFindDescribesACommit(t *testing.T) {
	// An entry has the line's number at the tree and in the commit, the parent, the
	// distance from the tree's commit, and the source files, the faulty one first.
	t.Parallel()
	h := gittest.New(t)
	first := h.Commit("first", gittest.Files{"a.go": gittest.Lines("package a", "", "func f() int {", "\treturn 1", "}")})
	second := h.Commit("second", gittest.Files{"a.go": gittest.Lines("package a", "", "func f() int {", "\tx := 2", "\treturn x", "}"),
		"0.go": "package a\n", "a_test.go": "package a\n", "sub/b.go": "package a\n", "README": "a\n"})
	tip := h.Commit("third", gittest.Files{"a.go": gittest.Lines("package a", "", "// f is it.", "func f() int {", "\tx := 2", "\treturn x", "}")})
	got := find(t, h.Open(), fix.Tree{Commit: tip}, hot("a.go", gitext.LineRange{Start: 4, End: 7}, 5, 6))
	check(t, got, "second: 5-6")
	b := got.Blamed[0]
	if b.Commit.OID != second || b.Parent != first || b.Function != "f" || b.Path != "a.go" || b.Previous != "a.go" || b.Distance != 1 || b.Changed != 5 ||
		!slices.Equal(b.OrigLine, []int{4, 5}) || strings.Join(b.Files, " ") != "a.go 0.go sub/b.go" {
		t.Errorf("%+v", b)
	}
}

func TestFindRanksCommits(t *testing.T) {
	// Of commits of the same age, the one with more suspicious lines is first. Braces
	// and comments count little, and the first commit of the history comes last.
	t.Parallel()
	h := gittest.New(t)
	text := map[int]string{}
	h.Commit("first", gittest.Files{"a.c": numbered(12, nil)})
	for _, c := range []struct {
		message string
		lines   map[int]string
	}{
		{"comments", map[int]string{3: "    /* 3 */", 4: "    /* 4 */", 5: "    /* 5 */"}},
		{"two", map[int]string{6: "    a *= 6;", 7: "    a *= 7;"}},
		{"one", map[int]string{8: "    a *= 8;"}},
	} {
		for at, l := range c.lines {
			text[at] = l
		}
		h.Commit(c.message, gittest.Files{"a.c": numbered(12, text)})
	}
	repo := h.Open()
	all := hot("a.c", gitext.LineRange{Start: 1, End: 12}, 3, 11)
	check(t, find(t, repo, fix.Tree{Commit: h.Head()}, all), "two: 6-7", "one: 8", "comments: 3-5")
	got, err := Find(t.Context(), repo, fix.Tree{Commit: h.Head()}, []fix.Location{all}, Options{Max: 9})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, "two: 6-7", "one: 8", "comments: 3-5", "first: 9-11 root")
	// The first hot range counts more than the others.
	all.Hot = []gitext.LineRange{{Start: 8, End: 8}, {Start: 6, End: 6}}
	check(t, find(t, repo, fix.Tree{Commit: h.Head()}, all), "one: 8", "two: 6")
}

func TestFindPrefersTheFirstLocations(t *testing.T) {
	// A commit that wrote lines of two locations has an entry for each, and commits
	// of the first location come before those of later ones.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": numbered(6, nil), "b.c": numbered(6, nil)})
	h.Commit("in b", gittest.Files{"b.c": numbered(6, map[int]string{4: "    a = 0;"})})
	h.Commit("in a", gittest.Files{"a.c": numbered(6, map[int]string{4: "    a = 0;"})})
	in := gitext.LineRange{Start: 1, End: 6}
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	a, b := hot("a.c", in, 4, 5), hot("b.c", in, 4, 5)
	check(t, find(t, repo, tree, a, b), "first: 5", "in a: 4", "in b: 4", "first: 5")
	check(t, find(t, repo, tree, hot("b.c", in, 4, 4), hot("a.c", in, 4, 4)), "in b: 4", "in a: 4")
}

func TestFindNearAnInsertion(t *testing.T) {
	// For code that is missing before a line, the nearest line of code within the five
	// lines before it is blamed. Comments, braces and imports are no code. Beyond the
	// five lines, the function is.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.go": gittest.Lines("package a", "", "import (", "\t\"fmt\"", ")", "", "func f() {", "\tx()", "}")})
	h.Commit("second", gittest.Files{"a.go": gittest.Lines("package a", "", "import (", "\t\"fmt\"", ")", "", "func f() {",
		"\tif y {", "\t\ty()", "\t\t// c", "\t}", "\t// d", "", "\t// e", "\t// g", "\tx()", "}")})
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	in := gitext.LineRange{Start: 7, End: 17}
	check(t, find(t, repo, tree, hot("a.go", in, 14, 13)), "second: 9 near")
	check(t, find(t, repo, tree, hot("a.go", in, 16, 15)), "second: 8-15 near", "first: 7, 16-17 near root")
	check(t, find(t, repo, tree, hot("a.go", gitext.LineRange{}, 6, 5))) // outside of functions, after imports
	check(t, find(t, repo, tree, hot("a.go", gitext.LineRange{}, 100, 99)))
}

func TestFindNearWhatIsNoCode(t *testing.T) {
	// With NeedsCode, a given line without code is treated as an insertion: Find returns the
	// commit of the code before it, and not that of the comment.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": gittest.Lines("int f(int a)", "{", "    a = 1;", "", "", "    a = 2;", "}")})
	h.Commit("code", gittest.Files{"a.c": gittest.Lines("int f(int a)", "{", "    a = 3;", "", "", "    a = 2;", "}")})
	h.Commit("comment", gittest.Files{"a.c": gittest.Lines("int f(int a)", "{", "    a = 3;", "    /* c */", "", "    a = 2;", "}")})
	repo, tree, in := h.Open(), fix.Tree{Commit: h.Head()}, gitext.LineRange{Start: 1, End: 7}
	for _, c := range []struct {
		start, end int
		plain, got string
	}{
		{4, 4, "comment: 4", "code: 3 near"}, {5, 5, "first: 5", "code: 3 near"}, {5, 4, "code: 3 near", "code: 3 near"},
		{4, 6, "first: 5-6 comment: 4", "first: 5-6 comment: 4"}, {1, 1, "first: 1", "first: 1"},
	} {
		for needs, want := range map[bool]string{false: c.plain, true: c.got} {
			found, err := Find(t.Context(), repo, tree, []fix.Location{hot("a.c", in, c.start, c.end)}, Options{NeedsCode: needs})
			if got := strings.Join(described(found), " "); err != nil || got != want {
				t.Errorf("%d-%d, %v: %q, want %q; %v", c.start, c.end, needs, got, want, err)
			}
		}
	}
}

func TestFindWithoutHotLines(t *testing.T) {
	// Without hot lines all lines of a location are suspected, and without a range all
	// lines of the file.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": numbered(8, nil)})
	h.Commit("second", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = 0;"})})
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	check(t, find(t, repo, tree, fix.Location{Path: "a.c", Lines: gitext.LineRange{Start: 4, End: 5}}), "second: 4", "first: 5")
	check(t, find(t, repo, tree, fix.Location{Path: "a.c"}), "first: 1-3, 5-8", "second: 4")
}

func TestFindInAnOverlay(t *testing.T) {
	// Line numbers are those of the overlay. Lines that it changed have no history: the
	// code before them is blamed, and a note counts them.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("first", gittest.Files{"a.c": numbered(8, nil)})
	h.Commit("second", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = 0;"})})
	text := "// new\n" + numbered(8, map[int]string{4: "    a = 0;", 6: "    a = 66;", 5: "        a += 5;"})
	tree := fix.Tree{Commit: h.Head(), Over: []gitext.Overlay{{Path: "a.c", Mode: 0o100644, Content: []byte(text)}, {Path: "new.c", Mode: 0o100644, Content: []byte(text)}, {Path: "README"}}}
	repo := h.Open()
	got := find(t, repo, tree, fix.Location{Path: "a.c", Function: "f", Lines: gitext.LineRange{Start: 2, End: 9}, Hot: []gitext.LineRange{{Start: 5, End: 7}}})
	check(t, got, "second: 5", "first: 6")
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "1 suspected line of f in a.c changed since the commit") || got.Blamed[0].OrigLine[0] != 4 {
		t.Errorf("%+v, notes %q", got.Blamed, got.Notes)
	}
	check(t, find(t, repo, tree, hot("a.c", gitext.LineRange{Start: 2, End: 9}, 7, 7)), "first: 6 near")
	for path, note := range map[string]string{"new.c": "it is no file of the commit", "README": "README is deleted", "none.c": "it is no file of the commit"} {
		got := find(t, repo, tree, fix.Location{Path: path, Lines: gitext.LineRange{Start: 1, End: 3}})
		if len(got.Blamed) > 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], note) {
			t.Errorf("%s: %q, notes %q", path, described(got), got.Notes)
		}
	}
}

func TestFindLooksThroughCommitsThatChangeNothing(t *testing.T) {
	// White space, commits in .git-blame-ignore-revs and moves within a file do not
	// hide who wrote a line. A commit of very many files comes last.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("wrote it", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = compute_the_answer(a, 42);"})})
	h.Commit("indents", gittest.Files{"a.c": numbered(8, map[int]string{4: "\ta = compute_the_answer(a,   42);"})})
	ignored := h.Commit("reformats", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = compute_the_answer(a, 42) ;"})})
	tip := h.Commit("ignores", gittest.Files{".git-blame-ignore-revs": "# comment\n" + string(ignored) + "\n"})
	in := gitext.LineRange{Start: 1, End: 8}
	repo := h.Open()
	check(t, find(t, repo, fix.Tree{Commit: tip}, hot("a.c", in, 4, 4)), "wrote it: 4")

	many := gittest.Files{"a.c": numbered(8, map[int]string{5: "    a = 5;", 6: "    a = 6;"})}
	for i := range massFiles {
		many[fmt.Sprintf("m%d.c", i)] = "int x;\n"
	}
	h.Commit("mass", many)
	last := h.Commit("one", gittest.Files{"a.c": numbered(8, map[int]string{5: "    a = 5;", 6: "    a = 6;", 7: "    a = 7;"})})
	check(t, find(t, h.Open(), fix.Tree{Commit: last}, hot("a.c", in, 5, 7)), "one: 7", "mass: 5-6 root")
}

func TestFindFollowsMovedFiles(t *testing.T) {
	// A renamed file keeps its history, with both names. Lines that a commit moved from another
	// file into a new one belong to the commit that wrote them there; copied lines belong to
	// the copying commit.
	t.Parallel()
	h := gittest.New(t)
	var big []string
	for i := range 12 {
		big = append(big, fmt.Sprintf("int value_with_a_long_name_%d = compute(%d, %d);", i, i, i*i))
	}
	h.Commit("zero", gittest.Files{"README": "r\n"})
	h.Commit("writes", gittest.Files{"a.c": gittest.Lines(big...), "other.c": "int other;\n"})
	h.Commit("another path", gittest.Files{"a.c": gittest.Gone, "b.c": gittest.Lines(slices.Replace(slices.Clone(big), 0, 1, "int first;")...)})
	one := gitext.LineRange{Start: 1, End: 3}
	got := find(t, h.Open(), fix.Tree{Commit: h.Head()}, hot("b.c", one, 1, 2))
	check(t, got, "another path: 1", "writes: 2")
	if b := got.Blamed[0]; b.Path != "b.c" || b.Previous != "a.c" || got.Blamed[1].Path != "a.c" || got.Blamed[1].Previous != "" {
		t.Errorf("%+v", got.Blamed)
	}
	h.Commit("splits", gittest.Files{"b.c": gittest.Lines(big[:4]...), "new.c": gittest.Lines(big[4:]...)})
	got = find(t, h.Open(), fix.Tree{Commit: h.Head()}, hot("new.c", one, 2, 2))
	check(t, got, "writes: 2")
	if b := got.Blamed[0]; b.Path != "a.c" || b.OrigLine[0] != 6 {
		t.Errorf("%+v", b)
	}
	h.Commit("copies", gittest.Files{"b.c": gittest.Lines(append(big[:4:4], "int more;")...), "copy.c": gittest.Lines(big[:4]...)})
	check(t, find(t, h.Open(), fix.Tree{Commit: h.Head()}, hot("copy.c", one, 2, 2)), "copies: 2")
}

func TestFindInUnusualRepositories(t *testing.T) {
	// Lines older than a shallow clone have no history, and a note says so. Ids of 64
	// digits, line ends of Windows and the paths of submodules are no trouble.
	t.Parallel()
	h := gittest.New(t)
	first := h.Commit("first", gittest.Files{"a.c": numbered(8, nil), "w.c": strings.ReplaceAll(numbered(8, nil), "\n", "\r\n")})
	h.Commit("second", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = 0;"}), "w.c": strings.ReplaceAll(numbered(8, map[int]string{4: "    a = 0;"}), "\n", "\r\n")})
	h.Commit("third", gittest.Files{"README": "r\n"})
	in := gitext.LineRange{Start: 1, End: 8}
	got := find(t, h.Shallow(1), fix.Tree{Commit: h.Head()}, hot("a.c", in, 4, 5))
	if len(got.Blamed) > 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "shallow clone") {
		t.Errorf("%q, notes %q", described(got), got.Notes)
	}
	check(t, find(t, h.Open(), fix.Tree{Commit: h.Head()}, hot("w.c", in, 4, 5)), "second: 4", "first: 5 root")
	over := []gitext.Overlay{{Path: "w.c", Mode: 0o100644, Content: []byte("\n" + numbered(8, map[int]string{4: "    a = 0;"}))}}
	check(t, find(t, h.Open(), fix.Tree{Commit: h.Head(), Over: over}, hot("w.c", in, 5, 5)), "second: 5")

	h.Git("update-index", "--add", "--cacheinfo", "160000,"+string(first)+",sub")
	h.Git("commit", "-q", "-m", "submodule")
	got = find(t, h.Open(), fix.Tree{Commit: h.Head()}, fix.Location{Path: "sub"}, fix.Location{Path: "sub/a.c"})
	if len(got.Blamed) > 0 || len(got.Notes) != 2 {
		t.Errorf("%q, notes %q", described(got), got.Notes)
	}

	long := gittest.New(t)
	long.Git("init", "-q", "--object-format=sha256", "sub")
	long.Dir += "/sub"
	long.Commit("first", gittest.Files{"a.c": numbered(8, nil)})
	long.Commit("second", gittest.Files{"a.c": numbered(8, map[int]string{4: "    a = 0;"})})
	got = find(t, long.Open(), fix.Tree{Commit: long.Head()}, hot("a.c", in, 4, 5))
	check(t, got, "second: 4", "first: 5 root")
	if len(got.Blamed[0].Commit.OID) != 64 {
		t.Errorf("%s", got.Blamed[0].Commit.OID)
	}
}

func TestFindWithBadLocations(t *testing.T) {
	// Ranges beyond the file, negative ones and very many locations are no error.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": numbered(8, nil), "empty.c": ""})
	var many []fix.Location
	for i := range 100 {
		many = append(many, fix.Location{Path: "a.c", Lines: gitext.LineRange{Start: -i, End: i * i}, Hot: []gitext.LineRange{{Start: -5, End: -1}, {Start: 1 << 40, End: 1 << 41}, {}}})
	}
	many = append(many, fix.Location{Path: "empty.c"}, fix.Location{})
	repo, tree := h.Open(), fix.Tree{Commit: h.Head()}
	if got := find(t, repo, tree, many...); len(got.Blamed) == 0 {
		t.Errorf("nothing found; notes %q", got.Notes)
	}
	check(t, find(t, repo, tree, fix.Location{Path: "empty.c"}))
	check(t, find(t, repo, tree))
}
