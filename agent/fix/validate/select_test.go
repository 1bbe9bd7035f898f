package validate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// patchOf is a patch of a.go, or of another file, with the diff that git would print for
// one hunk.
func patchOf(path, content, removed, added string) fix.Patch {
	diff := fmt.Sprintf("diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -1,%d +1,%d @@\n", path, path, path, path, strings.Count(removed, "\n"), strings.Count(added, "\n"))
	for line := range strings.Lines(removed) {
		diff += "-" + line
	}
	for line := range strings.Lines(added) {
		diff += "+" + line
	}
	return fix.Patch{Files: []gitext.Overlay{with(path, content)}, Diff: []byte(diff)}
}

// origins lists where trials come from, with their votes.
func origins(trials []fix.Trial) string {
	var list []string
	for _, t := range trials {
		list = append(list, fmt.Sprintf("%s*%d", t.Origin, t.Votes))
	}
	return strings.Join(list, " ")
}

func TestGroupUnitesEqualPatches(t *testing.T) {
	// White space, blank lines, comments and the order of files make no difference.
	// Quoted text, indentation in Python, modes and paths do.
	file := func(path, text string) gitext.Overlay { return with(path, text) }
	var trials []fix.Trial
	for _, c := range []struct {
		origin string
		files  []gitext.Overlay
	}{
		{"first", []gitext.Overlay{file("a.go", "package a\n\nfunc f() { g(1,  2) }\n"), file("b.go", "package a\n")}},
		{"same", []gitext.Overlay{file("b.go", "package a\r\n"), file("a.go", "package a\n// f calls g.\nfunc f()\t{ g(1, 2) }  \n\n")}},
		{"quoted", []gitext.Overlay{file("a.go", "package a\n\nfunc f() { g(\"1,  2\") }\n")}},
		{"quoted other", []gitext.Overlay{file("a.go", "package a\n\nfunc f() { g(\"1, 2\") }\n")}},
		{"python", []gitext.Overlay{file("a.py", "if a:\n    b()\n    c()\n")}},
		{"python same", []gitext.Overlay{file("a.py", "if a:\n    b()  # call b\n    c()\n")}},
		{"python other", []gitext.Overlay{file("a.py", "if a:\n    b()\nc()\n")}},
		{"executable", []gitext.Overlay{{Path: "a.py", Mode: 0o100755, Content: []byte("if a:\n    b()\n    c()\n")}}},
		{"first again", []gitext.Overlay{file("a.go", "package a\n\nfunc f() { g(1,  2) }\n"), file("b.go", "package a\n")}},
		{"removed", []gitext.Overlay{{Path: "a.py"}}},
	} {
		trials = append(trials, fix.Trial{Origin: c.origin, Patch: fix.Patch{Files: c.files}, Verdict: fix.Plausible})
	}
	trials[8].Votes = 3
	want := "first*5 quoted*1 quoted other*1 python*1 python same*1 python other*1 executable*1 removed*1"
	if got := origins(Group(trials)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if trials[0].Votes != 0 {
		t.Error("a trial was changed in place")
	}
}

func TestEqualPatchesWithUnequalVerdicts(t *testing.T) {
	// The worst verdict counts, with its reasons, whatever comes first.
	good := fix.Trial{Origin: "good", Patch: patchOf("a.go", "x\n", "y\n", "x\n"), Verdict: fix.Plausible, Prior: 0.5, Seconds: 1}
	bad := fix.Trial{Origin: "bad", Patch: good.Patch, Verdict: fix.Fails, Failing: []string{"T"}, Reason: "r", Prior: 0.7, Seconds: 2, Commit: "c"}
	for _, trials := range [][]fix.Trial{{good, bad}, {bad, good}} {
		got := Group(trials)
		if len(got) != 1 || got[0].Origin != trials[0].Origin || got[0].Verdict != fix.Fails || len(got[0].Failing) != 1 || got[0].Reason != "r" ||
			got[0].Votes != 2 || got[0].Prior != 0.7 || got[0].Seconds != 3 || got[0].Commit != "c" {
			t.Errorf("%+v", got)
		}
	}
}

func TestSelectOrders(t *testing.T) {
	// Each rule decides if the rules before it find no difference.
	context := "func f(name string, size int) {\n\tif size > 0 { use(name) }\n"
	add := func(line string) fix.Patch { return patchOf("a.c", context+line+"}\n", "", line) }
	blamed := gitext.OID(strings.Repeat("b", 40))
	h := &fix.History{Blamed: []fix.Blamed{{Commit: gitext.Commit{OID: blamed}}}}
	for name, c := range map[string]struct{ better, worse fix.Trial }{
		"verdict": {fix.Trial{Verdict: fix.Plausible, Patch: add("a(b, c, d, e, f, g, h);\n")}, fix.Trial{Verdict: fix.Regresses, Votes: 9, Patch: add("a();\n")}},
		"failing tests": {fix.Trial{Verdict: fix.Regresses, Failing: []string{"A"}, Patch: add("a(b, c);\n")},
			fix.Trial{Verdict: fix.Regresses, Failing: []string{"A", "B"}, Patch: add("a(b);\n")}},
		"votes":            {fix.Trial{Votes: 2, Patch: add("a(b, c, d, e, f, g, h);\n")}, fix.Trial{Patch: add("a(b);\n")}},
		"size":             {fix.Trial{Patch: add("other(b);\n")}, fix.Trial{Patch: add("use(name); use(size); use(size);\n"), Prior: 1}},
		"likelihood":       {fix.Trial{Patch: add("use(name); use(size); use(size);\n"), Prior: 0.08}, fix.Trial{Patch: add("other(b);\n"), Prior: 0.01}},
		"comments":         {fix.Trial{Patch: add("use(name);\n// a comment of very many words, one after the other\n")}, fix.Trial{Patch: add("use(name); use(size); use(size);\n")}},
		"fit":              {fix.Trial{Patch: add("use(size, name);\n")}, fix.Trial{Patch: add("other(thing);\n"), Prior: 1}},
		"past":             {fix.Trial{Patch: add("reject( it );\n")}, fix.Trial{Patch: add("other(thing);\n"), Prior: 1}},
		"undoes":           {fix.Trial{Commit: blamed, Patch: patchOf("a.c", context, "go(1);\n", "")}, fix.Trial{Patch: add("wo(2);\n"), Prior: 1}},
		"prior":            {fix.Trial{Prior: 0.9, Patch: add("use(size);\n")}, fix.Trial{Prior: 0.1, Patch: add("use(name);\n")}},
		"number of tokens": {fix.Trial{Patch: add("use(size);\n")}, fix.Trial{Patch: add("use(-size);\n")}},
		"moved":            {fix.Trial{Patch: patchOf("a.c", context+"use(d, c, b, a);\n", "use(a, b, c, d);\n", "use(d, c, b, a);\n")}, fix.Trial{Patch: patchOf("a.c", context+"use(b);\n", "use(a);\n", "use(b);\n")}},
		"order":            {fix.Trial{Patch: add("use(size);\n")}, fix.Trial{Patch: add("use(name);\n")}},
	} {
		c.better.Origin, c.worse.Origin = "better", "worse"
		trials := []fix.Trial{c.worse, c.better}
		if name == "order" {
			trials = []fix.Trial{c.better, c.worse}
		}
		for i := range trials {
			if trials[i].Verdict == "" {
				trials[i].Verdict = fix.Plausible
			}
		}
		got := Select(trials, h, "  reject(\tit );", "never(mind)")
		if len(got) != 2 || got[0].Origin != "better" {
			t.Errorf("%s: %s", name, origins(got))
		}
	}
	if got := Select(nil, nil); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestRemovedLines(t *testing.T) {
	// The lines are those that the blamed commit took from the suspected file, under its
	// old name too. A commit that cannot be read, and the first one, give none.
	h := gittest.New(t)
	first := h.Commit("first", gittest.Files{"old.c": "one\ntwo\nthree\nfour\nfive\n", "b.c": "b\n"})
	h.Git("mv", "old.c", "new.c")
	second := h.Commit("second", gittest.Files{"new.c": "one\nthree\nfour\nfive\n", "b.c": "c\n"})
	repo := h.Open()
	commits, err := repo.Commits(t.Context(), []gitext.OID{first, second})
	if err != nil {
		t.Fatal(err)
	}
	lost := gitext.Commit{OID: gitext.OID(strings.Repeat("d", 40)), Parents: []gitext.OID{first}}
	got, err := Removed(t.Context(), repo, &fix.History{Blamed: []fix.Blamed{
		{Commit: lost, Path: "new.c"}, {Commit: commits[0], Path: "old.c"}, {Commit: commits[1], Path: "new.c", Previous: "old.c"}}})
	if err != nil || strings.Join(got, " ") != "two" {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := Removed(t.Context(), repo, nil); got != nil || err != nil {
		t.Errorf("without history: %q, %v", got, err)
	}
}

func TestBestKnowsWhatTheHistoryRemoved(t *testing.T) {
	// Of two patches of the same size, the one that restores a removed line comes first.
	h := gittest.New(t)
	h.Commit("first", gittest.Files{"a.c": "one\ncheck(me);\ntwo\n"})
	second := h.Commit("second", gittest.Files{"a.c": "one\ntwo\n"})
	repo := h.Open()
	commits, err := repo.Commits(t.Context(), []gitext.OID{second})
	if err != nil {
		t.Fatal(err)
	}
	trial := func(line string) fix.Trial {
		return fix.Trial{Origin: line, Verdict: fix.Plausible, Patch: patchOf("a.c", "one\n"+line+"two\n", "", line)}
	}
	past := &fix.History{Blamed: []fix.Blamed{{Commit: commits[0], Path: "a.c"}}}
	got := Best(t.Context(), repo, []fix.Trial{trial("other(it);\n"), trial("check(me);\n")}, past)
	if len(got) != 2 || got[0].Origin != "check(me);\n" {
		t.Errorf("%s", origins(got))
	}
}

func FuzzSelect(f *testing.F) {
	// No diff and no content makes it fail, or lose a trial.
	f.Add("diff --git a/x b/x\n@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n", "b\n")
	f.Add("diff --git\n@@ -\n@@ -1,99999999999 +x\n+", "\xff\"")
	f.Add("diff --git \"a/\\n\" \"b/\\n.py\"\n@@ -0,0 +1,-7 @@\n \n", "'''\n")
	f.Fuzz(func(t *testing.T, diff, content string) {
		one := fix.Trial{Patch: fix.Patch{Diff: []byte(diff), Files: []gitext.Overlay{with("a.py", content)}}}
		two := fix.Trial{Patch: fix.Patch{Diff: []byte(content), Files: []gitext.Overlay{with("a.c", diff)}}}
		if got := Select([]fix.Trial{one, two}, nil, content); len(got) != 2 {
			t.Errorf("%d trials", len(got))
		}
	})
}
