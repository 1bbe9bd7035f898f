package rank

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// assess ranks the candidates of a fix.
func (h *history) assess(fix gitext.OID) (*Case, []Ranked) {
	h.T.Helper()
	k, ranked, err := Assess(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}))
	if err != nil {
		h.T.Fatal(err)
	}
	return k, ranked
}

// of returns the ranked candidate with an id.
func of(t *testing.T, ranked []Ranked, oid gitext.OID) Ranked {
	t.Helper()
	i := slices.IndexFunc(ranked, func(j Ranked) bool { return j.Candidate.OID == oid })
	if i < 0 {
		t.Fatalf("%s is no candidate", oid)
	}
	return ranked[i]
}

// lines returns n lines that begin with a word.
func lines(word string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s_%d(value);\n", word, i)
	}
	return b.String()
}

// A line that the fix only moves or re-indents is not simply one that it removes: mkosi's 7e842db3
// puts an if statement into a loop, and prometheus' bd040c10 sets a default earlier.
func TestReasonOfMovedLines(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"p.c": "int f(int a)\n{\n\tint n = limit(a);\n\tadd(n);\n\treturn n;\n}\n"})
	moved := h.Commit("check", gittest.Files{"p.c": "int f(int a)\n{\n\tint n = limit(a);\n\tadd(n);\n\tcheck_it(a);\n\tcheck_too(a);\n\treturn n;\n}\n"})
	bug := h.Commit("use more", gittest.Files{"p.c": "int f(int a)\n{\n\tint n = limit(a);\n\tadd(n + 1);\n\tcheck_it(a);\n\tcheck_too(a);\n\treturn n;\n}\n"})
	k, ranked := h.assess(h.Commit("check first", gittest.Files{"p.c": "int f(int a)\n{\n\tint n = limit(a);\n" +
		"\tif (n) {\n\t\tcheck_it(a);\n\t\tcheck_too(a);\n\t}\n\tadd(n);\n\treturn n;\n}\n"}))
	for oid, want := range map[gitext.OID]string{
		moved: "wrote 2 of the 3 lines of code that the fix removes; the fix adds them again, moved or re-indented",
		bug:   "wrote 1 of the 3 lines of code that the fix removes",
	} {
		if got := k.Reason(of(t, ranked, oid).Candidate); got != want {
			t.Errorf("%s: %q, want %q", oid.Short(), got, want)
		}
	}
}

// A commit that splits a file is not blamed for what it moved, as werkzeug's cfebee06 was for the fix
// b28001e0: the writer is named, and the command asks git blame about the file before the split.
func TestEvidenceOfMovedLines(t *testing.T) {
	t.Parallel()
	const sum = "long average_of_samples(const long *samples, long count)\n{\n\tlong total_of_samples = add_all(samples, count);\n" +
		"\treturn total_of_samples / count;\n}\n"
	h := newHistory(t)
	write := h.Commit("compute an average", gittest.Files{"p.c": lines("call", 9) + sum})
	before := h.Commit("call more", gittest.Files{"p.c": lines("call", 12) + sum})
	split := h.Commit("split p.c", gittest.Files{"p.c": lines("call", 12), "stats.c": "#include \"p.h\"\n" + sum})
	fix := h.Commit("no division by zero", gittest.Files{"stats.c": "#include \"p.h\"\n" + strings.Replace(sum, "return", "return !count ? 0 :", 1)})
	k, ranked := h.assess(fix)
	s := k.Suspect(of(t, ranked, write))
	if want := "wrote the line of code that the fix removes; " + split.Short() + " moved it from p.c"; s.Reason != want {
		t.Errorf("reason %q, want %q", s.Reason, want)
	}
	at := suspect.Evidence{
		Path: "stats.c", Line: 5, Removed: true, Text: "return total_of_samples / count;", Command: "git blame -w -L 15,16 " + before.Short() + " -- p.c",
	}
	if !slices.Contains(s.Evidence, at) {
		t.Errorf("evidence %+v, want %+v", s.Evidence, at)
	}
}

// The owner of lines in a Makefile is a candidate beside the owner of the source, with a
// separate weight, and its evidence is a line of the Makefile.
func TestBuildFileBesideSource(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("source", gittest.Files{"p.c": lines("call", 9), "Makefile": "all: p\n", "NEWS": "first\n"})
	build := h.Commit("build: optimise", gittest.Files{"Makefile": "all: p\nCFLAGS = -O3 -ffast-math\n"})
	news := h.Commit("say so", gittest.Files{"NEWS": "first\nfast\n"})
	fix := h.Commit("compute exactly", gittest.Files{"p.c": strings.Replace(lines("call", 9), "call_4", "exact_4", 1),
		"Makefile": "all: p\nCFLAGS = -O2\n", "NEWS": "first\nexact\n"})
	k, ranked := h.assess(fix)
	owner := of(t, ranked, build)
	if owner.features[slices.Index(FeatureNames(), "beside_share")] != 1 || owner.Candidate.Sources&candidate.FromBeside == 0 {
		t.Errorf("features %v, sources %b", owner.features, owner.Candidate.Sources)
	}
	if k.shares[candidate.ShareDeleted][build] != 0 {
		t.Error("the Makefile's owner has votes of source lines")
	}
	if e := k.Suspect(owner).Evidence[0]; e.Path != "Makefile" || !e.Removed || e.Line != 2 {
		t.Errorf("evidence %+v", e)
	}
	if slices.ContainsFunc(ranked, func(j Ranked) bool { return j.Candidate.OID == news && j.Candidate.Sources&candidate.FromBeside != 0 }) {
		t.Error("the owner of a document is a candidate for it")
	}
}

// If the owner of most removed code is no suspect, it is given beside the suspects.
func TestOwnerOfRemovedLines(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"p.c": lines("call", 9)})
	owner := h.Commit("call twice", gittest.Files{"p.c": strings.Replace(lines("call", 9), "call_4", "twice_4", 1)})
	k, ranked := h.assess(h.Commit("call once", gittest.Files{"p.c": strings.Replace(lines("call", 9), "call_4", "once_4", 1)}))
	other := szz.Suspect{Suspect: suspect.Suspect{Commit: gitext.Commit{OID: "another"}}}
	if got := k.Owner(ranked, []szz.Suspect{other}); got == nil || got.Commit.OID != owner || len(got.Evidence) == 0 {
		t.Errorf("beside another suspect: %+v", got)
	}
	own := szz.Suspect{Suspect: suspect.Suspect{Commit: gitext.Commit{OID: owner}}}
	if got := k.Owner(ranked, []szz.Suspect{other, own}); got != nil {
		t.Errorf("it is a suspect and is given twice: %+v", got)
	}
	if got := k.Owner(ranked, nil); got != nil {
		t.Errorf("without a suspect: %+v", got)
	}
}

// The evidence against a candidate that owns no line shows the hunk in which it changed
// the names of the fix, not the whole of a large commit.
func TestEvidenceShowsTheHunk(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := lines("call", 400)
	h.Commit("start", gittest.Files{"p.c": text})
	without := strings.Replace(strings.Replace(text, "call_300(value);\n", "", 1), "call_5(value)", "five(value)", 1)
	bad := h.Commit("remove what seems unused", gittest.Files{"p.c": without})
	k, ranked := h.assess(h.Commit("call it again", gittest.Files{"p.c": strings.Replace(without, "call_301", "call_300(value);\ncall_301", 1)}))
	e := k.diffEvidence(of(t, ranked, bad).Candidate)
	if !strings.HasPrefix(e.Command, "git log -1 -L ") || e.Path != "p.c" {
		t.Fatalf("evidence %+v", e)
	}
	shown := h.Git(strings.Fields(e.Command)[1:]...)
	if !strings.Contains(shown, "-call_300(value);") || strings.Contains(shown, "five") || strings.Count(shown, "\n") > 20 {
		t.Errorf("%s shows\n%s", e.Command, shown)
	}
}

// A name that many files of the repository have ties no commit to a fix, even if few candidates
// change it.
func TestCommonNamesAreNoEvidence(t *testing.T) {
	t.Parallel()
	for _, others := range []int{0, candidate.MaxNameFiles + 2} {
		h := newHistory(t)
		text, files := lines("call", 400), gittest.Files{}
		for i := range others {
			files[fmt.Sprintf("other%d.c", i)] = "call_300(value);\n"
		}
		files["p.c"] = text
		h.Commit("start", files)
		without := strings.Replace(strings.Replace(text, "call_300(value);\n", "", 1), "call_5(value)", "five(value)", 1)
		bad := h.Commit("remove what seems unused", gittest.Files{"p.c": without})
		k, ranked := h.assess(h.Commit("call it again", gittest.Files{"p.c": strings.Replace(without, "call_301", "call_300(value, again);\ncall_301", 1)}))
		e := k.diffEvidence(of(t, ranked, bad).Candidate)
		if named := strings.Contains(e.Text, "call_300"); named != (others == 0) {
			t.Errorf("with %d other files that have the name, the evidence is %+v", others, e)
		}
	}
}

// Patches that another person applies within the hour are marked. Patches of another day
// are not, nor are an author's own commits. The commits of a history have an author and a
// different committer.
func TestAppliedTogether(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	patch := func(text string) gitext.OID {
		return h.Commit("work on "+text, gittest.Files{"p.c": strings.Replace(lines("call", 9), "call_4", text, 1)})
	}
	early := patch("early")
	h.Time += 2 * 3600
	near := patch("near")
	k, ranked := h.assess(patch("fix"))
	for oid, want := range map[gitext.OID]bool{near: true, early: false} {
		if got := k.appliedTogether(of(t, ranked, oid).Candidate); got != want {
			t.Errorf("%s: %t", oid, got)
		}
	}
	k.fc.Commit.Committer = k.fc.Commit.Author
	if k.appliedTogether(of(t, ranked, near).Candidate) {
		t.Error("an author's own commits are marked")
	}
}

// A file that the candidate deletes has no lines for git log -L: the evidence is the
// candidate's patch of it.
func TestEvidenceOfADeletedFile(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"p.c": lines("call", 9), "old.c": "int rarely_used_name;\n"})
	h.Git("rm", "-q", "-f", "old.c")
	bad := h.Commit("remove the rarely used name of the old parser", nil)
	fix := h.Commit("bring back the rarely used name of the old parser", gittest.Files{"p.c": "int rarely_used_name;\n" + lines("call", 9)})
	k, ranked := h.assess(fix)
	e := k.diffEvidence(of(t, ranked, bad).Candidate)
	if strings.Contains(e.Command, " -L ") {
		t.Errorf("%+v", e)
	}
	if shown := h.Git(strings.Fields(e.Command)[1:]...); !strings.Contains(shown, "rarely_used_name") {
		t.Errorf("%s shows %q", e.Command, shown)
	}
}

// A reason names the removed lines that it counts: lines of tests and documents are
// removed, too, but not traced if source is.
func TestReasonSaysWhichLinesItCounts(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	bad := h.Commit("start", gittest.Files{"p.c": lines("call", 9), "tests/p_test.c": lines("check", 9), "ci.yml": "a: 1\nb: 2\n", "q.c": "/* one */\nint q;\n",
		"r.c": "#include \"a.h\"\n#include \"b.h\"\n\nint r;\n"})
	for want, files := range map[string]gittest.Files{
		"wrote the line of code that the fix removes":                         {"p.c": lines("call", 8)},
		"wrote the line of code that the fix removes outside of tests":        {"p.c": lines("call", 8), "tests/p_test.c": lines("check", 5)},
		"wrote the line of source code that the fix removes":                  {"p.c": lines("call", 8), "ci.yml": "a: 1\n"},
		"wrote the line of source code that the fix removes outside of tests": {"p.c": lines("call", 8), "ci.yml": "a: 1\n", "tests/p_test.c": lines("check", 5)},
		"wrote both lines that the fix removes":                               {"ci.yml": gittest.Gone},
		"wrote 1 line of comments that the fix removes":                       {"q.c": "int q;\n"},
		"wrote 2 imports and 1 blank line that the fix removes":               {"r.c": "int r;\n"},
	} {
		h.Git("reset", "-q", "--hard", string(bad))
		k, ranked := h.assess(h.Commit("fix", files))
		if got := k.Reason(of(t, ranked, bad).Candidate); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A reason does not say that a commit wrote what it only formatted, as ufo's 0ab8f055 added semicolons, or that it wrote
// lines of a function where these are comments, as semver4j's d22169f6.
func TestReasonOfFormattedLinesAndComments(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := "function f(a) {\n  g(a)\n  if (a) {\n    return go(a, 'x')\n  }\n" + lines("  call", 9) + "  return 1\n}\n"
	h.Commit("start", gittest.Files{"p.js": text})
	text = strings.Replace(strings.Replace(text, "g(a)", "g(a);", 1), "go(a, 'x')", "go(a, \"x\");", 1)
	formatted := h.Commit("refactor", gittest.Files{"p.js": text, "q.js": "new();\n"})
	text = strings.Replace(text, "  call_6", "  // the seventh\n  call_6", 1)
	remarked := h.Commit("say more", gittest.Files{"p.js": text})
	k, ranked := h.assess(h.Commit("fix", gittest.Files{"p.js": strings.Replace(text, "return go(a, \"x\");", "return stay(a);", 1)}))
	for oid, want := range map[gitext.OID]string{
		formatted: "changed only the layout or punctuation of the line of code that the fix removes",
		remarked:  "wrote 1 line of comments in the function or block that the fix changes",
	} {
		if got := k.Reason(of(t, ranked, oid).Candidate); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A reason does not say that a commit changed only the layout of lines that it put under another condition, as nvm's c31a867c did
// in nvm_auto, and it counts lines of code of the function rather than a nearer blank line, as of opensbi's 62447cd7.
func TestReasonOfMovedLinesAndBlankLines(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := "auto() {\n  get \"$2\"\n  take \"$2\"\n" + lines("  call", 9) + "}\n"
	h.Commit("start", gittest.Files{"p.sh": text})
	text = "auto() {\n  if known \"$2\"; then\n    take \"$2\"\n    get \"$2\"\n  fi\n" + lines("  call", 9) + "}\n"
	moved := h.Commit("avoid a conflict", gittest.Files{"p.sh": text})
	text = strings.Replace(text, "    get", "\n    get", 1)
	spaced := h.Commit("leave more space", gittest.Files{"p.sh": strings.Replace(text, "  call_7", "  longer\n  call_7", 1)})
	text = strings.Replace(text, "  call_7", "  longer\n  call_7", 1)
	k, ranked := h.assess(h.Commit("fix", gittest.Files{"p.sh": strings.Replace(text, "    get", "    really get", 1)}))
	for oid, want := range map[gitext.OID]string{
		moved:  "moved or re-indented the line of code that the fix removes",
		spaced: "wrote 1 line in the function or block that the fix changes",
	} {
		if got := k.Reason(of(t, ranked, oid).Candidate); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// For a fix of white space alone, who indented a line is its owner, and not who wrote it: 53b272eb6 of scala3 puts right what "Indent
// after match" (9359dfd8b) indented. Of 120 such fixes, 26 have other owners if white space counts.
func TestFixOfWhiteSpace(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := "def first(list):\n    for x in list:\n        if x:\n            go(x)\n        return x\n"
	h.Commit("write first", gittest.Files{"p.py": text, "q.py": "\n" + lines("call", 9)})
	indented := h.Commit("indent after for", gittest.Files{"p.py": strings.Replace(text, "        return", "            return", 1)})
	h.Commit("other", gittest.Files{"q.py": lines("call", 9)})
	fix := h.Commit("fix the loop", gittest.Files{"p.py": strings.Replace(text, "        return", "    return", 1)})
	_, ranked := h.assess(fix)
	if ranked[0].Candidate.OID != indented {
		t.Errorf("first is %q", ranked[0].Candidate.Commit.Subject())
	}
	v := h.rank(fix)
	if e := v.Suspects[0].Evidence[0].Command; strings.Contains(e, " -w") || !strings.Contains(h.Git(strings.Fields(e)[1:]...), string(indented)[:7]) {
		t.Errorf("evidence: %s", e)
	}
	h.Git("reset", "-q", "--hard", string(fix)+"~")
	mixed := h.Commit("fix the call", gittest.Files{"p.py": strings.Replace(strings.Replace(text, "        return", "    return", 1), "            go(x)", "            go(x, 1)", 1)})
	if k, _ := h.assess(mixed); k.Set.Spaces {
		t.Error("a changed argument is taken for white space")
	}
}

// If a candidate is missing in the simplified history of a fixed file, because the other
// side of a merge has the same change, the reason does not say that it changed other
// files.
func TestReasonOfAChangeOnAnotherBranch(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"p.c": "changed a file that the fix changes, and shares words with ", "q.c": "changed other files, but shares words with "} {
		k := &Case{fc: &szz.FixContext{Fix: "f"}, FixPath: map[string]bool{"p.c": true}}
		c := &candidate.Candidate{Diff: &candidate.CommitDiff{Paths: []string{path}}}
		if got := k.wordsReason(c); got != want+"the message and the paths of the fix, a weak sign" {
			t.Errorf("%s: %q", path, got)
		}
	}
}
