package generate

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// collect returns the first candidates for a function of the problem's tree, which begins
// and ends on lines that begin with these texts.
func collect(t *testing.T, h *gittest.History, path, first, last string, in Input) []Candidate {
	t.Helper()
	repo := h.Open()
	in.Problem.Tree.Commit = gitext.OID(h.Head())
	content, err := repo.BlobAt(t.Context(), in.Problem.Tree.Commit, path, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range in.Problem.Tree.Over {
		if o.Path == path {
			content = o.Content
		}
	}
	var r gitext.LineRange
	for i, l := range strings.Split(string(content), "\n") {
		if strings.HasPrefix(l, first) && r.Start == 0 {
			r.Start = i + 1
		}
		if strings.HasPrefix(l, last) && r.Start > 0 && r.End == 0 {
			r.End = i + 1
		}
	}
	in.Localization = &fix.Localization{Locations: []fix.Location{{Path: path, Lines: r, Function: "f"}}}
	var list []Candidate
	for c := range Candidates(t.Context(), repo, in) {
		if list = append(list, c); len(list) == 2000 {
			break
		}
	}
	return list
}

// find returns the candidate of a kind that leads to a text of the file.
func find(list []Candidate, kind Kind, text string) *Candidate {
	i := slices.IndexFunc(list, func(c Candidate) bool { return c.Kind == kind && string(c.Files[0].Content) == text })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func TestReverts(t *testing.T) {
	// A hunk, a single line of it, and the function as it was are put back in the present
	// file, which has changed elsewhere since.
	t.Parallel()
	const top = "package p\n\nvar x = 1\n\n"
	body := func(a, b string) string {
		return "func f(n int) int {\n\tif n > 1 {\n\t\tg(1)\n\t}\n" + a + "\tg(2)\n\tg(3)\n\tg(4)\n\tg(5)\n" + b + "\treturn n\n}\n"
	}
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.go": top + body("\tg(11)\n", "\tg(n)\n")})
	bad := h.Commit("two", gittest.Files{"a.go": top + body("\tg(12)\n\tg(13)\n", "\tg(n + 1)\n")})
	h.Commit("three", gittest.Files{"a.go": strings.Replace(top, "1", "2", 1) + body("\tg(12)\n\tg(13)\n", "\tg(n + 1)\n")})
	for _, text := range strings.Fields("four five six seven eight") { // no commit is likelier because it is new
		h.Commit(text, gittest.Files{"text": text})
	}
	now := strings.Replace(top, "1", "2", 1)
	list := collect(t, h, "a.go", "func f", "}", Input{RevertOnly: true})
	for _, c := range []struct {
		kind Kind
		text string
	}{
		{Hunk, now + body("\tg(11)\n", "\tg(n + 1)\n")},
		{Hunk, now + body("\tg(12)\n\tg(13)\n", "\tg(n)\n")},
		{HunkLine, now + body("\tg(12)\n", "\tg(n + 1)\n")},
		{HunkLine, now + body("\tg(12)\n\tg(13)\n\tg(11)\n", "\tg(n + 1)\n")},
		{Function, now + body("\tg(11)\n", "\tg(n)\n")}, // both hunks undone are the same
	} {
		got := find(list, c.kind, c.text)
		if got == nil {
			t.Errorf("no %s gives\n%s", c.kind, c.text)
			continue
		}
		if got.Commit != bad || got.Location != 0 || got.Prior <= 0 {
			t.Errorf("%s: commit %s, location %d, prior %g", c.kind, got.Commit, got.Location, got.Prior)
		}
	}
	if list[0].Kind != Hunk && list[0].Kind != Function && list[0].Kind != Hunks {
		t.Errorf("the first candidate is a %s", list[0].Kind)
	}
	for _, c := range list {
		if !slices.Contains([]Kind{Hunk, HunkLine, Hunks, FileHunks, Function, Older}, c.Kind) {
			t.Errorf("%s is no revert", c.Kind)
		}
	}
}

func TestOlderVersions(t *testing.T) {
	// Versions of the function before the last one come too, each text once, and a commit
	// that only reformats gives none.
	t.Parallel()
	version := func(s string) gittest.Files {
		return gittest.Files{"a.go": "package p\n\nfunc f() int {\n\tg()\n\treturn " + s + "\n}\n"}
	}
	h := gittest.New(t)
	for _, s := range []string{"1", "2", "(3)", "( 3 )", "4"} {
		h.Commit(s, version(s))
	}
	list := collect(t, h, "a.go", "func f", "}", Input{RevertOnly: true})
	for _, want := range []struct {
		kind Kind
		s    string
	}{{Older, "2"}, {Older, "1"}} {
		if find(list, want.kind, version(want.s)["a.go"]) == nil {
			t.Errorf("no %s with %s", want.kind, want.s)
		}
	}
	seen := map[string]bool{}
	for _, c := range list {
		key := strings.Join(strings.Fields(string(c.Files[0].Content)), "")
		if seen[key] {
			t.Errorf("%s comes twice: %s", c.Kind, c.Origin)
		}
		seen[key] = true
	}
}

func TestRestored(t *testing.T) {
	// A guard that a commit removed long ago is restored at the present place of its
	// neighbouring lines.
	t.Parallel()
	text := func(guard, rest string) gittest.Files {
		return gittest.Files{"a.go": "package p\n\nfunc f(n *N) int {\n\tstart(n)\n" + guard + "\tn.go1()\n" + rest + "\treturn n.x\n}\n"}
	}
	const guard = "\tif n == nil {\n\t\treturn 0\n\t}\n"
	h := gittest.New(t)
	h.Commit("one", text(guard, ""))
	h.Commit("two", text("", "\tn.two()\n"))
	h.Commit("three", text("", "\tn.two()\n\tn.three()\n"))
	list := collect(t, h, "a.go", "func f", "}", Input{})
	if find(list, Restore, text(guard, "\tn.two()\n\tn.three()\n")["a.go"]) == nil {
		t.Error("the guard was not put back")
	}
}

func TestSiblings(t *testing.T) {
	// A change that a similar function in another file got is made here.
	t.Parallel()
	text := func(name, parse string) string {
		return "package p\n\nfunc (s *" + name + ") Set(val string) error {\n\tss := split(val)\n\tout := make([]" + name + ", len(ss))\n" +
			"\tfor i, d := range ss {\n\t\tu, err := " + parse + "\n\t\tif err != nil {\n\t\t\treturn err\n\t\t}\n\t\tout[i] = u\n\t}\n\treturn nil\n}\n"
	}
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"int_slice.go": text("intS", "parse(d, 10)"), "uint_slice.go": text("uintS", "parse(d, 10)"), "other.go": "package p\n"})
	h.Commit("two", gittest.Files{"int_slice.go": text("intS", "parse(d, 0)")})
	list := collect(t, h, "uint_slice.go", "func (", "}", Input{})
	if find(list, Sibling, text("uintS", "parse(d, 0)")) == nil {
		t.Error("the sibling's change was not made")
	}
}

func TestUndo(t *testing.T) {
	// The first bad commit is undone: each hunk, and all files together, without the commit's
	// tests.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.go": "package p\n\nvar a = 1\n", "b.go": "package p\n\nvar b = 1\n", "a_test.go": "package p\n"})
	bad := h.Commit("two", gittest.Files{"a.go": "package p\n\nvar a = 2\n", "b.go": "package p\n\nvar b = 2\n", "a_test.go": "package p\n\nvar t = 1\n"})
	repo := h.Open()
	list := Undo(t.Context(), repo, Input{Problem: fix.Problem{Tree: fix.Tree{Commit: bad}}}, bad)
	var got []string
	for _, c := range list {
		s := ""
		for _, f := range c.Files {
			s += f.Path + ":" + strings.TrimPrefix(strings.TrimSpace(string(f.Content)), "package p\n\n") + ";"
		}
		got = append(got, s)
	}
	slices.Sort(got)
	want := []string{"a.go:var a = 1;", "a.go:var a = 1;b.go:var b = 1;", "b.go:var b = 1;"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGoFilesThatDoNotCompile(t *testing.T) {
	// Candidates with errors that go/types finds without imports are left out: unknown names,
	// unused variables, a missing return. Candidates with possible errors about imported names
	// are kept.
	t.Parallel()
	const text = "package p\n\nimport \"strings\"\n\nfunc f(s string, n int) string {\n\tm := n\n\tif m > 1 {\n\t\treturn strings.ToUpper(s)\n\t}\n\treturn s\n}\n"
	h := gittest.New(t)
	commit := h.Commit("one", gittest.Files{"a.go": text, "b.go": "package p\n\nfunc g() { h() }\n"})
	c := newGoCheck(newTree(t.Context(), h.Open(), fix.Tree{Commit: commit}), nil)
	for _, x := range []struct {
		old, fresh string
		ok         bool
	}{
		{"m > 1", "m < 1", true},
		{"m > 1", "g2()", false},
		{"m > 1", "s > 1", false},
		{"m > 1", "n > 1", false}, // m is not used
		{"\treturn s\n", "", false},
		{"strings.ToUpper(s)", "strings.ToLower(s)", true},
		{"strings.ToUpper(s)", "s", false}, // the import is not used
		{"m > 1", "m > ", false},
	} {
		content := strings.Replace(text, x.old, x.fresh, 1)
		if got := c.accepts([]gitext.Overlay{{Path: "a.go", Content: []byte(content)}}); got != x.ok {
			t.Errorf("%q in place of %q: accepted %v", x.fresh, x.old, got)
		}
	}
}

func TestTestsAreNotChanged(t *testing.T) {
	// A suspected function of a test file gives no candidate, unless tests may be changed.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a_test.go": "package p\n\nfunc f(n int) bool {\n\treturn n > 1\n}\n"})
	if list := collect(t, h, "a_test.go", "func f", "}", Input{}); len(list) > 0 {
		t.Errorf("%d candidates", len(list))
	}
	if list := collect(t, h, "a_test.go", "func f", "}", Input{Problem: fix.Problem{EditTests: true}}); len(list) == 0 {
		t.Error("no candidate although tests may be changed")
	}
}

func TestMoreFollowsFromProbes(t *testing.T) {
	// The candidate that makes a condition false leads to those with a further clause.
	t.Parallel()
	const text = "package p\n\nfunc f(n *N) int {\n\tif n.a > 1 {\n\t\treturn n.b\n\t}\n\treturn 0\n}\n"
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.go": text})
	for _, c := range collect(t, h, "a.go", "func f", "}", Input{}) {
		if !strings.Contains(string(c.Files[0].Content), "false && n.a > 1") {
			continue
		}
		if !c.Probe || c.More == nil {
			t.Fatal("it is no probe")
		}
		for _, m := range c.More() {
			if strings.Contains(string(m.Files[0].Content), "if n != nil && n.a > 1 {") {
				return
			}
		}
		t.Fatal("no further clause follows")
	}
	t.Error("no such candidate")
}

func TestNewest(t *testing.T) {
	// The newest commits that changed suspected code are undone exactly: the whole commit
	// if it is small, whether it changed, added or only removed lines, and without its
	// tests. Commits that changed other functions do not count.
	t.Parallel()
	f := func(guard, value string) string {
		return "func f(n int) int {\n" + guard + "\tg(n)\n\th(n)\n\treturn " + value + "\n}\n"
	}
	const other, guard = "\nfunc other() {\n\tg(1)\n}\n", "\tif n == 0 {\n\t\treturn 0\n\t}\n"
	text := func(f string) string { return "package p\n\n" + f + other }
	h := gittest.New(t)
	h.Commit("one", gittest.Files{"a.go": text(f(guard, "1"))})
	h.Commit("two", gittest.Files{"a.go": text(f(guard, "2")), "b.go": "package p\n"})
	removed := h.Commit("tidy up", gittest.Files{"a.go": text(f("", "2")), "a_test.go": "package p\n"})
	h.Commit("elsewhere", gittest.Files{"a.go": strings.Replace(text(f("", "2")), "g(1)", "g(2)", 1)})
	h.Commit("a text", gittest.Files{"text": "x"})
	var in Input
	in.Problem.Tree.Commit = gitext.OID(h.Head())
	in.Localization = &fix.Localization{Locations: []fix.Location{{Path: "a.go", Lines: gitext.LineRange{Start: 3, End: 7}, Function: "f"}}}
	list := Newest(t.Context(), h.Open(), in)
	if len(list) < 2 {
		t.Fatalf("%d candidates", len(list))
	}
	now := func(f string) string { return strings.Replace(text(f), "g(1)", "g(2)", 1) }
	for i, want := range []string{now(f(guard, "2")), now(f("", "1"))} {
		if got := string(list[i].Files[0].Content); got != want || len(list[i].Files) != 1 || list[i].Location != 0 {
			t.Errorf("candidate %d, %s, of location %d gives\n%s", i, list[i].Origin, list[i].Location, got)
		}
	}
	// A line that the failing output names counts even if its function is not suspected.
	in.Output = []byte("panic at /scratch/run-1/tree/a.go:10 +0x1\n")
	in.Localization.Locations[0].Lines = gitext.LineRange{Start: 3, End: 3}
	if named := Newest(t.Context(), h.Open(), in); len(named) == 0 || !strings.Contains(named[0].Why, "elsewhere") {
		t.Errorf("%d candidates for a named line: %+v", len(named), named[:min(len(named), 1)])
	}
	if list[0].Commit != removed || list[0].Origin != "reverts "+removed.Short() || !strings.Contains(list[0].Why, "tidy up") {
		t.Errorf("%s: %s", list[0].Origin, list[0].Why)
	}
}

// Removals that leave a block empty come last; the statement of defu.ts that a patch may remove
// otherwise, and the if statement as a whole, come before.
func TestEmptiedBlocksComeLast(t *testing.T) {
	t.Parallel()
	const text = `function _defu(baseObject, object, merger) {
  for (const key of Object.keys(baseObject)) {
    if (key === "__proto__") {
      continue;
    }
    const value = baseObject[key];
    if (merger && merger(object, key, value)) {
      continue;
    }
    object[key] = value;
  }
  return object;
}
`
	h := gittest.New(t)
	h.Commit("defu", gittest.Files{"defu.js": text})
	list := collect(t, h, "defu.js", "function _defu", "}", Input{})
	last := func(c Candidate) bool {
		return strings.Count(string(c.Files[0].Content), "{\n    }\n") > 0
	}
	first := slices.IndexFunc(list, last)
	if first < 0 || slices.ContainsFunc(list[first:], func(c Candidate) bool { return !last(c) }) {
		t.Errorf("of %d candidates, the first one that empties a block is number %d", len(list), first+1)
	}
	whole := strings.Replace(text, "    if (merger && merger(object, key, value)) {\n      continue;\n    }\n", "", 1)
	if find(list[:max(first, 0)], Mutation, whole) == nil {
		t.Error("the statement is not removed as a whole")
	}
}
