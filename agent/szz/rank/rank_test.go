package rank

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func (h *history) rank(fix gitext.OID) *szz.Answer {
	h.T.Helper()
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true})
	v, err := settleOrTrace(context.Background(), h.Open(), fc, 5)
	if err != nil {
		h.T.Fatal(err)
	}
	return v
}

// settleOrTrace is the offline engine for the algorithm rank.
func settleOrTrace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, max int) (*szz.Answer, error) {
	v, err := szz.Settle(ctx, repo, fc, "rank")
	if v == nil && err == nil {
		v, err = Trace(ctx, repo, fc, max)
	}
	if err != nil {
		return nil, err
	}
	return v.Offline(fc, max), nil
}

// Commits that a rebase or a script made within one second are in the order of the
// history.
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
			t.Errorf("run %d: suspects %v", run, szztest.Subjects(v))
		}
	}
}

// The author of the line that a fix replaces comes first, with evidence that names the
// line and sensible probabilities.
func TestRankDeletedLine(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program, "README": "x\n"})
	bad := h.Commit("raise the limit", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 1000", 1)})
	h.Commit("say more", gittest.Files{"README": "x y\n"})
	v := h.rank(h.Commit("keep the limit low", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 12", 1)}))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v", szztest.Subjects(v))
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

// A fix that only adds lines has an answer too: the commit that wrote the guarded code.
func TestRankGhost(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	guarded := strings.Replace(szztest.Program, "limit(3)", "limit(*read_value())", 1)
	bad := h.Commit("print what is read", gittest.Files{"p.c": guarded})
	h.Commit("unrelated", gittest.Files{"q.c": "int q;\n"})
	v := h.rank(h.Commit("survive an empty value", gittest.Files{"p.c": strings.Replace(guarded,
		"\tprintf", "\tif (!read_value())\n\t\treturn 1;\n\tprintf", 1)}))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v, notes %v", szztest.Subjects(v), v.Notes)
	}
}

// Evidence names the common names of two changes, but no keywords.
func TestSharedNames(t *testing.T) {
	mine, its := source.Bag{}, source.Bag{}
	mine.AddCode([]byte("if (queue_size is not None) return false;"))
	its.AddCode([]byte("if not queue_size: return None"))
	only := source.Bag{"if": 1, "None": 1}
	k := &Case{Removed: mine, Added: source.Bag{}, Code: source.NewIDF()}
	for want, diff := range map[string]source.Bag{"both touch queue_size": its, "": only} {
		c := &candidate.Candidate{OID: "0123456789abcdef", Diff: &candidate.CommitDiff{Added: diff}}
		if e := k.diffEvidence(c); e.Text != want || e.Command != "git show 0123456789ab" {
			t.Errorf("%+v, want %q", e, want)
		}
	}
}

func TestPartOf(t *testing.T) {
	for want, n := range map[string][2]int{"the line": {1, 1}, "both lines": {2, 2}, "all 3 lines": {3, 3}, "1 of the 2 lines": {1, 2}, "2 of the 3 lines": {2, 3}} {
		if got := szz.PartOf(n[0], n[1], "line"); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}

// The owner of a line before a commit that only moved it is a candidate.
func TestSecondOwners(t *testing.T) {
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"p.c": "\n"})
	origin := h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	h.Commit("rename the variable", gittest.Files{"p.c": strings.ReplaceAll(szztest.Program, "max", "most")})
	v := h.rank(h.Commit("lower it", gittest.Files{"p.c": strings.ReplaceAll(strings.ReplaceAll(szztest.Program, "max", "most"), "10", "9")}))
	if !slices.Contains(v.Candidates, origin) {
		t.Errorf("%v lack %s", v.Candidates, origin)
	}
}

// In a shallow clone git blames all older lines on the commit at the boundary, which is
// never named for that.
func TestRankShallow(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	h.Commit("boundary", gittest.Files{"q.c": "int q;\n"})
	fix := h.Commit("lower it", gittest.Files{"p.c": strings.Replace(szztest.Program, "10", "9", 1)})
	repo := h.Shallow(2)
	fc, err := szz.NewContext(context.Background(), repo, fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		t.Fatal(err)
	}
	v, err := settleOrTrace(context.Background(), repo, fc, 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Candidates) > 0 || !strings.Contains(strings.Join(v.Notes, "\n"), "older than this shallow clone") {
		t.Errorf("candidates %v, notes %q", v.Candidates, v.Notes)
	}
}

// If every traced line is older than a shallow clone, a commit elsewhere that reads like
// the fix is no answer.
func TestRankBeyondShallow(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	h.Commit("boundary", gittest.Files{"q.c": "int q;\n"})
	h.Commit("program: lower the limit of the queue", gittest.Files{"q.c": "int q = 10;\n"})
	fix := h.Commit("program: lower the limit", gittest.Files{"p.c": strings.Replace(szztest.Program, "10", "9", 1)})
	answer := func(repo *gitext.Repo) *szz.Answer {
		fc, err := szz.NewContext(t.Context(), repo, fix, szz.ContextOptions{NoAnnotations: true})
		if err != nil {
			t.Fatal(err)
		}
		v, err := settleOrTrace(t.Context(), repo, fc, 5)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := answer(h.Open()); len(v.Suspects) < 2 {
		t.Errorf("in the whole history: %s", szztest.Subjects(v))
	}
	v := answer(h.Shallow(3))
	if notes := strings.Join(v.Notes, "\n"); len(v.Suspects) > 0 || len(v.Candidates) != 1 ||
		!strings.Contains(notes, "all of the ") || !strings.Contains(notes, "git fetch --unshallow") {
		t.Errorf("%s of %v, notes %q", szztest.Subjects(v), v.Candidates, v.Notes)
	}
	// Nothing is said of the history that the clone lacks.
	if v := answer(h.Shallow(2)); len(v.Candidates) > 0 || strings.Contains(strings.Join(v.Notes, "\n"), "no commit in the history") {
		t.Errorf("%v, notes %q", v.Candidates, v.Notes)
	}
}

// The answer is the same in every call.
func TestRankIsDeterministic(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	for i, word := range []string{"12", "13", "14"} {
		h.Commit("step "+word, gittest.Files{"p.c": strings.Replace(szztest.Program, "10", word, 1), "q.c": strings.Repeat("int q;\n", i+1)})
	}
	fix := h.Commit("fix", gittest.Files{"p.c": strings.Replace(szztest.Program, "10", "15", 1)})
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

// The committed model fits the code, its numbers are finite, and naming starts at half
// the F1 that its own provenance states.
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

// Probabilities grow with the score and shrink with the scores of rivals.
func TestProbabilities(t *testing.T) {
	c := Calibrator{A: 1, B: -0.5}
	alone, strong := c.Probabilities([]float64{1}), c.Probabilities([]float64{1, 3, 2})
	if !(alone[0] > strong[0]) || !(strong[1] > strong[2]) || !(strong[2] > strong[0]) {
		t.Errorf("alone %v, among others %v", alone, strong)
	}
}

// Paths are sorted into source, tests and others.
func TestPathKind(t *testing.T) {
	for p, want := range map[string]source.FileKind{
		"src/a.c": source.SourceFile, "lib/ofp-util.c": source.SourceFile, "a.py": source.SourceFile, "x/y.tsx": source.SourceFile, "bin/run": source.SourceFile,
		"tests/a.c": source.TestFile, "src/test/java/A.java": source.TestFile, "a_test.go": source.TestFile, "FooTest.java": source.TestFile, "a.spec.ts": source.TestFile, "test_a.py": source.TestFile,
		"contest.c": source.SourceFile, "latest.py": source.SourceFile, "src/attest/a.c": source.SourceFile, "Contest.java": source.SourceFile,
		"README": source.OtherFile, "README.md": source.OtherFile, "doc/a.rst": source.OtherFile, "package.json": source.OtherFile, "Makefile": source.OtherFile, "ChangeLog": source.OtherFile,
	} {
		if got := source.FileKindOf(p); got != want {
			t.Errorf("pathKind(%q) = %d, want %d", p, got, want)
		}
	}
}

// No commit is named for a fix without a change, even if its message is very similar to
// the message of a commit in the history.
func TestRankNothingChanged(t *testing.T) {
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program, "README": "x\n"})
	h.Commit("raise the limit of the program", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 1000", 1)})
	fix := h.Commit("lower the limit of the program", gittest.Files{"p.c": szztest.Program})
	for _, tt := range []struct {
		fix   gitext.OID
		paths []string
		note  string
	}{
		{fix, []string{"README"}, "the fix changes nothing below the paths given"},
		{h.Commit("lower the limit of the program again", nil), nil, "the fix changes no file"},
	} {
		v, err := settleOrTrace(t.Context(), h.Open(), h.Context(tt.fix, szz.ContextOptions{Paths: tt.paths}), 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(v.Suspects) > 0 || !slices.Equal(v.Notes, []string{tt.note}) {
			t.Errorf("suspects %v, notes %q", szztest.Subjects(v), v.Notes)
		}
	}
}

// The stamp that CVS writes into a file counts for no commit, although each commit
// rewrites it.
func TestRankVersionStamp(t *testing.T) {
	h := newHistory(t)
	stamped := func(revision, max string) gittest.Files {
		return gittest.Files{"p.c": "/* $Id: p.c,v " + revision + " 2020/09/13 nicm Exp $ */\n" + strings.Replace(szztest.Program, "max = 10", "max = "+max, 1)}
	}
	h.Commit("start the program", stamped("1.1", "10"))
	bad := h.Commit("raise the limit", stamped("1.2", "1000"))
	h.Commit("say more", stamped("1.3", "1000"))
	v := h.rank(h.Commit("keep the limit low", stamped("1.4", "12")))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v", szztest.Subjects(v))
	}
	for _, s := range v.Suspects {
		for _, e := range s.Evidence {
			if e.Removed && e.Line == 1 {
				t.Errorf("evidence %+v", e)
			}
		}
	}
}

// A fix that is released at once sets another version. The commit that set the last one counts for nothing.
func TestRankReleasedFix(t *testing.T) {
	h := newHistory(t)
	released := func(version, max string) gittest.Files {
		return gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = "+max, 1), "version.c": "const char version[] = \"" + version + "\";\n"}
	}
	h.Commit("start the program", released("1.0.0", "10"))
	bad := h.Commit("raise the limit", released("1.0.0", "1000"))
	h.Commit("release", released("1.0.1", "1000"))
	v := h.rank(h.Commit("keep the limit low", released("1.0.2", "12")))
	if len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
		t.Fatalf("suspects %v", szztest.Subjects(v))
	}
	for _, s := range v.Suspects {
		for _, e := range s.Evidence {
			if e.Path == "version.c" {
				t.Errorf("%s: evidence %+v", s.Reason, e)
			}
		}
	}
	v = h.rank(h.Commit("another version", released("1.0.3", "12"))) // nothing else is there to trace
	if len(v.Suspects) == 0 {
		t.Errorf("a version alone: suspects %v, notes %q", szztest.Subjects(v), v.Notes)
	}
}

// git's own text for a submodule is not text of the repository. Two moves of a submodule
// are not similar because both say "Subproject commit".
func TestRankSubmoduleText(t *testing.T) {
	h := newHistory(t)
	start := h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	move := func(to string) gitext.OID { // with a line of text, because a submodule alone is not traced
		h.Write(gittest.Files{"p.c": szztest.Program + "/* " + to + " */\n"})
		h.Git("add", "p.c")
		h.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(to, len(start))+",lib")
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

// After all reading, the remaining computing ends with the context as well.
func TestComputingEndsWithItsContext(t *testing.T) {
	h := newHistory(t)
	h.Commit("add", gittest.Files{"p.c": szztest.Program})
	fix := h.Commit("keep the limit low", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 12", 1)})
	fc := h.Context(fix, szz.ContextOptions{NoAnnotations: true})
	set, err := candidate.FindAnchors(t.Context(), h.Open(), fc)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := candidate.Gather(t.Context(), h.Open(), fc, set)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newCase(ended, fc, set, pool); !errors.Is(err, context.Canceled) {
		t.Errorf("while gathering facts: %v", err)
	}
	if _, err := h.caseOf(fix).rank(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("while ranking: %v", err)
	}
}
