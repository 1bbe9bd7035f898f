package szz

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func (h *history) rank(fix gitext.OID) *Verdict {
	h.T.Helper()
	fc := h.context(fix, ContextOptions{NoAnnotations: true})
	v, err := Trace(context.Background(), h.Open(), fc, Options{Algorithm: "rank", Max: 5})
	if err != nil {
		h.T.Fatal(err)
	}
	return v
}

const program = `#include <stdio.h>

int limit(int n)
{
	int max = 10;

	if (n > max)
		return max;
	return n;
}

int main(void)
{
	printf("%d\n", limit(3));
	return 0;
}
`

// Commits that a rebase or a script made within one second stand in the order
// of the history.
func TestRankWithinOneSecond(t *testing.T) {
	for run := range 6 { // object ids fall in either order
		h := newHistory(t)
		begin := h.Time
		write := func(subject, sum string) gitext.OID {
			h.Time = begin
			return h.Commit(subject, gittest.Files{"sum.sh": "#!/bin/sh\necho $((" + sum + "))\n"})
		}
		write("sum: add", "1 + 2")
		bad := write("sum: lose the carry "+strconv.Itoa(run), "1 * 2")
		if v := h.rank(write("sum: keep the carry", "1 + 2")); len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
			t.Errorf("run %d: suspects %v", run, subjects(v))
		}
	}
}

// The author of the line that a fix replaces comes first, with evidence that
// names the line and probabilities that make sense.
func TestRankDeletedLine(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program, "README": "x\n"})
	bad := h.Commit("raise the limit", gittest.Files{"p.c": strings.Replace(program, "max = 10", "max = 1000", 1)})
	h.Commit("say more", gittest.Files{"README": "x y\n"})
	v := h.rank(h.Commit("keep the limit low", gittest.Files{"p.c": strings.Replace(program, "max = 10", "max = 12", 1)}))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v", subjects(v))
	}
	e := v.Suspects[0].Evidence[0]
	if e.Path != "p.c" || e.Line != 5 || !strings.Contains(e.Command, "git blame -w -L 5,5") {
		t.Errorf("evidence %+v", e)
	}
	last := 1.0
	for _, s := range v.Suspects {
		if s.Probability <= 0 || s.Probability > last {
			t.Errorf("probability %g after %g", s.Probability, last)
		}
		last = s.Probability
	}
}

// A fix that only adds lines has an answer too: whoever wrote what it guards.
func TestRankGhost(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program})
	guarded := strings.Replace(program, "limit(3)", "limit(*read_value())", 1)
	bad := h.Commit("print what is read", gittest.Files{"p.c": guarded})
	h.Commit("unrelated", gittest.Files{"q.c": "int q;\n"})
	v := h.rank(h.Commit("survive an empty value", gittest.Files{"p.c": strings.Replace(guarded,
		"\tprintf", "\tif (!read_value())\n\t\treturn 1;\n\tprintf", 1)}))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v, notes %v", subjects(v), v.Notes)
	}
}

// What two changes share is told by its names, not by the words of the language.
func TestSharedNames(t *testing.T) {
	mine, its := bag{}, bag{}
	mine.addCode([]byte("if (queue_size is not None) return false;"))
	its.addCode([]byte("if not queue_size: return None"))
	only := bag{"if": 1, "None": 1}
	k := &casework{removed: mine, added: bag{}, code: newIDF()}
	for want, diff := range map[string]bag{"both touch queue_size": its, "": only} {
		c := &candidate{oid: "0123456789abcdef", diff: &commitDiff{added: diff}}
		if e := k.diffEvidence(c); e.Text != want || e.Command != "git show 0123456789ab" {
			t.Errorf("%+v, want %q", e, want)
		}
	}
}

func TestPartOf(t *testing.T) {
	for want, n := range map[string][2]int{"the line": {1, 1}, "both lines": {2, 2}, "all 3 lines": {3, 3}, "1 of the 2 lines": {1, 2}, "2 of the 3 lines": {2, 3}} {
		if got := partOf(n[0], n[1], "line"); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}

// Candidates include whoever owned a line before a commit that only moved it.
func TestSecondOwners(t *testing.T) {
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"p.c": "\n"})
	origin := h.Commit("start the program", gittest.Files{"p.c": program})
	h.Commit("rename the variable", gittest.Files{"p.c": strings.ReplaceAll(program, "max", "most")})
	v := h.rank(h.Commit("lower it", gittest.Files{"p.c": strings.ReplaceAll(strings.ReplaceAll(program, "max", "most"), "10", "9")}))
	if !slices.Contains(v.Candidates, origin) {
		t.Errorf("%v lack %s", v.Candidates, origin)
	}
}

// In a shallow clone the commit at the boundary owns all that is older; it is
// never named for that.
func TestRankShallow(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program})
	h.Commit("boundary", gittest.Files{"q.c": "int q;\n"})
	fix := h.Commit("lower it", gittest.Files{"p.c": strings.Replace(program, "10", "9", 1)})
	repo := h.Shallow(2)
	fc, err := NewContext(context.Background(), repo, fix, ContextOptions{NoAnnotations: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Trace(context.Background(), repo, fc, Options{Max: 5})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Candidates) > 0 || !strings.Contains(strings.Join(v.Notes, "\n"), "older than this shallow clone") {
		t.Errorf("candidates %v, notes %q", v.Candidates, v.Notes)
	}
}

// Where every traced line is older than a shallow clone, a commit elsewhere
// that reads like the fix is no answer.
func TestRankBeyondShallow(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program})
	h.Commit("boundary", gittest.Files{"q.c": "int q;\n"})
	h.Commit("program: lower the limit of the queue", gittest.Files{"q.c": "int q = 10;\n"})
	fix := h.Commit("program: lower the limit", gittest.Files{"p.c": strings.Replace(program, "10", "9", 1)})
	answer := func(repo *gitext.Repo) *Verdict {
		fc, err := NewContext(t.Context(), repo, fix, ContextOptions{NoAnnotations: true})
		if err != nil {
			t.Fatal(err)
		}
		v, err := Trace(t.Context(), repo, fc, Options{Max: 5})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := answer(h.Open()); len(v.Suspects) < 2 {
		t.Errorf("in the whole history: %s", subjects(v))
	}
	v := answer(h.Shallow(3))
	if notes := strings.Join(v.Notes, "\n"); len(v.Suspects) > 0 || len(v.Candidates) != 1 ||
		!strings.Contains(notes, "all of the ") || !strings.Contains(notes, "git fetch --unshallow") {
		t.Errorf("%s of %v, notes %q", subjects(v), v.Candidates, v.Notes)
	}
}

// The answer depends on nothing that changes between runs.
func TestRankIsDeterministic(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program})
	for i, word := range []string{"12", "13", "14"} {
		h.Commit("step "+word, gittest.Files{"p.c": strings.Replace(program, "10", word, 1), "q.c": strings.Repeat("int q;\n", i+1)})
	}
	fix := h.Commit("fix", gittest.Files{"p.c": strings.Replace(program, "10", "15", 1)})
	first := h.rank(fix)
	for range 5 {
		again := h.rank(fix)
		for i := range first.Suspects {
			a, b := first.Suspects[i], again.Suspects[i]
			if a.Commit.OID != b.Commit.OID || a.Probability != b.Probability {
				t.Fatalf("%v and %v", a, b)
			}
		}
	}
}

// The committed model fits the code, its numbers are finite, and naming starts
// at half the F1 that its own provenance states.
func TestModelFile(t *testing.T) {
	m, err := loadModel()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Trees.Trees) == 0 || m.Made.Cases == 0 {
		t.Error("the model is empty")
	}
	if m.Threshold < 0.2 || m.Threshold > 0.5 {
		t.Errorf("threshold %g", m.Threshold)
	}
	for _, tree := range m.Trees.Trees {
		for _, n := range tree {
			if math.IsNaN(n.Value) || math.IsInf(n.Value, 0) || n.Feature >= len(features) {
				t.Fatalf("node %+v", n)
			}
		}
	}
}

// Probabilities grow with the score and shrink with what rivals score.
func TestProbabilities(t *testing.T) {
	c := Calibrator{A: 1, B: -0.5}
	alone, strong := c.Probabilities([]float64{1}), c.Probabilities([]float64{1, 3, 2})
	if !(alone[0] > strong[0]) || !(strong[1] > strong[2]) || !(strong[2] > strong[0]) {
		t.Errorf("alone %v, among others %v", alone, strong)
	}
}

// Paths sort by what a tracer needs them for.
func TestPathKind(t *testing.T) {
	for p, want := range map[string]pathClass{
		"src/a.c": pathSource, "lib/ofp-util.c": pathSource, "a.py": pathSource, "x/y.tsx": pathSource, "bin/run": pathSource,
		"tests/a.c": pathTest, "src/test/java/A.java": pathTest, "a_test.go": pathTest, "FooTest.java": pathTest, "a.spec.ts": pathTest, "test_a.py": pathTest,
		"contest.c": pathSource, "latest.py": pathSource, "src/attest/a.c": pathSource, "Contest.java": pathSource,
		"README": pathOther, "README.md": pathOther, "doc/a.rst": pathOther, "package.json": pathOther, "Makefile": pathOther, "ChangeLog": pathOther,
	} {
		if got := pathKind(p); got != want {
			t.Errorf("pathKind(%q) = %d, want %d", p, got, want)
		}
	}
}

// Nobody is named for a change that is not there, however well the message
// reads like a commit of the history.
func TestRankNothingChanged(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program, "README": "x\n"})
	h.Commit("raise the limit of the program", gittest.Files{"p.c": strings.Replace(program, "max = 10", "max = 1000", 1)})
	fix := h.Commit("lower the limit of the program", gittest.Files{"p.c": program})
	for _, tt := range []struct {
		fix   gitext.OID
		paths []string
		note  string
	}{
		{fix, []string{"README"}, "the fix changes nothing below the paths given"},
		{h.Commit("lower the limit of the program again", nil), nil, "the fix changes no file"},
	} {
		v, err := Trace(t.Context(), h.Open(), h.context(tt.fix, ContextOptions{Paths: tt.paths}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Suspects) > 0 || !slices.Equal(v.Notes, []string{tt.note}) {
			t.Errorf("suspects %v, notes %q", subjects(v), v.Notes)
		}
	}
}

// The stamp that CVS writes into a file is nobody's work, although each commit
// rewrites it.
func TestRankVersionStamp(t *testing.T) {
	h := newHistory(t)
	stamped := func(revision, max string) gittest.Files {
		return gittest.Files{"p.c": "/* $Id: p.c,v " + revision + " 2020/09/13 nicm Exp $ */\n" + strings.Replace(program, "max = 10", "max = "+max, 1)}
	}
	h.Commit("start the program", stamped("1.1", "10"))
	bad := h.Commit("raise the limit", stamped("1.2", "1000"))
	h.Commit("say more", stamped("1.3", "1000"))
	v := h.rank(h.Commit("keep the limit low", stamped("1.4", "12")))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v", subjects(v))
	}
	for _, s := range v.Suspects {
		for _, e := range s.Evidence {
			if e.Removed && e.Line == 1 {
				t.Errorf("evidence %+v", e)
			}
		}
	}
}

// What git prints for a submodule is not the repository's text: two moves of
// one are not alike because both say "Subproject commit".
func TestRankSubmoduleText(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": program})
	move := func(to string) gitext.OID {
		h.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(to, 40)+",lib")
		h.Time += 60
		h.Git("commit", "-q", "-m", "lib: move on to "+to)
		return h.Head()
	}
	move("a")
	move("b")
	v := h.rank(move("c"))
	if len(v.Suspects) == 0 {
		t.Fatal("nobody is named")
	}
	for _, s := range v.Suspects {
		for _, e := range s.Evidence {
			if strings.Contains(e.Text, "Subproject") {
				t.Errorf("evidence %+v", e)
			}
		}
	}
}
