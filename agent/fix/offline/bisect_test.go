package offline

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// history makes a history of n commits in which a.c goes bad at one of them and b.c changes
// at each, and returns the commits.
func history(t *testing.T, n, bad int) (*gittest.History, []gitext.OID) {
	h := gittest.New(t)
	var oids []gitext.OID
	for i := range n {
		a := script
		if i >= bad {
			a = strings.Replace(script, "a < b", "a > b", 1)
		}
		oids = append(oids, h.Commit(fmt.Sprint(i), gittest.Files{"a.c": a, "b.c": fmt.Sprintf("int n = %d;\n", i)}))
	}
	return h, oids
}

// failing is a test, laid over each commit, that fails since a.c went bad.
func failing(commit gitext.OID) fix.Problem {
	return fix.Problem{
		Tree: fix.Tree{Commit: commit, Over: []gitext.Overlay{{Path: "tests/run.sh", Mode: 0o100644, Content: []byte("grep -q 'a < b' a.c || { echo '--- FAIL: TestF'; exit 1; }\n")}}},
		Test: "sh tests/run.sh",
	}
}

func TestBisect(t *testing.T) {
	// The first bad commit is found with and without a good one, in few runs, and commits
	// that leave the executed files alone are not run.
	t.Parallel()
	h, oids := history(t, 20, 7)
	in := BisectInput{Problem: failing(oids[19]), Trial: options(t)}
	got, err := Bisect(t.Context(), h.Open(), in)
	if err != nil || got.First.OID != oids[7] {
		t.Fatalf("%+v, %v", got, err)
	}
	in.Good = oids[2]
	if got, err = Bisect(t.Context(), h.Open(), in); err != nil || got.First.OID != oids[7] || got.Good == "" {
		t.Errorf("with a good commit: %+v, %v", got, err)
	}
	in.Spectrum = &fix.Spectrum{Files: map[string][]fix.LineHits{"a.c": {{Line: 3, Failing: 1}}, "b.c": {{Line: 1}}}}
	if got, err = Bisect(t.Context(), h.Open(), in); err != nil || got.First.OID != oids[7] || got.Runs > 5 {
		t.Errorf("with a spectrum: %+v, %v", got, err)
	}
}

func TestBisectWithACommittedTest(t *testing.T) {
	// A new test that is committed is laid over older commits, too: it is not where the test begins to fail.
	t.Parallel()
	h, oids := history(t, 12, 5)
	p := failing("")
	test := string(p.Tree.Over[0].Content)
	p.Tree = fix.Tree{Commit: h.Commit("test", gittest.Files{"tests/run.sh": test}), Tests: []string{"tests/run.sh"}, Before: oids[11]}
	p.Test = "test ! -e tests/run.sh || sh tests/run.sh"
	if got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: p, Trial: options(t)}); err != nil || got.First.OID != oids[5] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBisectWithAUnitTest(t *testing.T) {
	// Of a source file with a new unit test, only the tests are laid over each commit.
	t.Parallel()
	const tests = "#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() {}\n"
	h := gittest.New(t)
	var oids []gitext.OID
	for i := range 9 {
		code := "fn f() { good }\n\n"
		if i >= 4 {
			code = "fn f() { bad }\n\n"
		}
		oids = append(oids, h.Commit(fmt.Sprint(i), gittest.Files{"src/lib.rs": fmt.Sprintf("// %d\n%s%s}\n", i, code, tests)}))
	}
	p := fix.Problem{
		Tree: fix.Tree{Commit: oids[8], Over: []gitext.Overlay{{
			Path: "src/lib.rs", Mode: 0o100644, Content: []byte("// 8\nfn f() { bad }\n\n" + tests + "    #[test]\n    fn two() {}\n}\n"),
		}}},
		Test: "! grep -q 'fn two' src/lib.rs || grep -q good src/lib.rs || { echo '--- FAIL: TestTwo'; exit 1; }",
	}
	got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: p, Good: oids[0], Trial: options(t)})
	if err != nil || got.First.OID != oids[4] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBisectUnderMake(t *testing.T) {
	// Make's own error line below a failing test is no broken build. The output is that of Test::More
	// in testdata/failure of package testrun.
	t.Parallel()
	h, oids := history(t, 12, 5)
	p := failing(oids[11])
	p.Tree.Over = nil
	p.Test = "grep -q 'a < b' a.c || { printf '1..1\\nnot ok 1 - of opposites\\nmake: *** [Makefile:2: test] Error 1\\n'; exit 2; }"
	got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: p, Trial: options(t)})
	if err != nil || got.First.OID != oids[5] {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBisectWithoutAnAnswer(t *testing.T) {
	// A test that always failed, one that passes, and commits that do not build: each has a
	// note and no commit.
	t.Parallel()
	h, oids := history(t, 12, 6)
	last := oids[11]
	always := failing(last)
	always.Test = "echo '--- FAIL: TestF'; exit 1"
	passes := failing(last)
	passes.Test = "exit 0"
	broken := failing(last)
	broken.Build = "grep -q 'a > b' a.c"
	for name, p := range map[string]fix.Problem{"always": always, "passes": passes, "broken": broken} {
		got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: p, Trial: options(t)})
		if err != nil || got.First.OID != "" || got.Note == "" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	opt := options(t)
	opt.MaxRuns = 2
	got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: failing(last), Trial: opt})
	if err != nil || !strings.Contains(got.Note, "2 runs") {
		t.Errorf("with two runs: %+v, %v", got, err)
	}
}

func TestAGoodCommitThatIsNone(t *testing.T) {
	// A test that fails at the good commit, too, is said to, and an older commit is looked for.
	t.Parallel()
	h, oids := history(t, 14, 5)
	for good, text := range map[gitext.OID]string{
		oids[11]: "the test fails at " + oids[11].Short() + ", too, which you name as good",
		oids[8]:  "the test fails at " + oids[8].Short() + ", too, which you name as good",
		oids[13]: "is newer than the commit at which the test fails",
	} {
		got, err := Bisect(t.Context(), h.Open(), BisectInput{Problem: failing(oids[11]), Good: good, Trial: options(t)})
		if err != nil || got.First.OID != oids[5] || !strings.Contains(got.Wrong, text) {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	twice := failing(oids[11]) // no single change repairs it
	twice.Tree.Over[0].Content = []byte("grep -q 'a < b' a.c && ! grep -q 11 b.c || { echo '--- FAIL: TestF'; exit 1; }\n")
	found, err := Repair(t.Context(), h.Open(), Input{Problem: twice, Good: oids[8], RevertOnly: true, Trial: options(t), Jobs: 1})
	if err != nil || len(found.Notes) != 2 || !strings.Contains(found.Notes[1], "the test fails since "+oids[5].Short()) {
		t.Errorf("%q, %v", found.Notes, err)
	}
}

func TestRepairUndoesTheFirstBadCommit(t *testing.T) {
	// With a good commit, the hunk of the first bad one is undone although no function is
	// suspected.
	t.Parallel()
	h, oids := history(t, 10, 4)
	trials, err := repair(t.Context(), h.Open(), Input{Problem: failing(oids[9]), Good: oids[0], Trial: options(t), Jobs: 1})
	if err != nil || len(trials) == 0 || trials[0].Verdict != fix.Plausible || trials[0].Commit != oids[4] {
		t.Fatalf("%+v, %v", trials, err)
	}
}
