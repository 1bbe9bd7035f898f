package offline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// options returns the options of workspaces in tests.
func options(t *testing.T) trial.Options {
	return trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch"), Timeout: time.Minute}
}

// all suspects all lines of a file as one function.
func all(path, content string) *fix.Localization {
	return &fix.Localization{Locations: []fix.Location{{Path: path, Function: "f", Lines: gitext.LineRange{Start: 1, End: strings.Count(content, "\n")}}}}
}

// repair returns the trials of Repair.
func repair(ctx context.Context, repo *gitext.Repo, in Input) ([]fix.Trial, error) {
	found, err := Repair(ctx, repo, in)
	return found.Trials, err
}

// script is a shell program with a function that C-like changes can be made in. The name
// ends in .c so that its language is known; the tests only look for texts in it.
const script = `int f(int a, int b)
{
	if (a < b) {
		return 1;
	}
	count(a, 10);
	return 0;
}
`

func TestRepairOrdersByVerdict(t *testing.T) {
	// The candidate that the failing test and the suite accept comes first; one that the
	// suite rejects follows. Tests that fail anyway are not held against a candidate.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{
			Tree: fix.Tree{Commit: commit},
			Test: `grep -Eq 'a <= b|a > b' a.c || { echo '--- FAIL: TestF'; exit 1; }`,
			Suite: `echo '--- FAIL: TestKnown'; echo '--- FAIL: TestOld'
				grep -q 'a > b' a.c && echo '--- FAIL: TestG'; exit 1`,
			Known: []string{"TestKnown"},
		},
		Localization: all("a.c", script), Trial: options(t), Budget: Budget{Tries: 60, Want: 2, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) < 2 || trials[0].Verdict != fix.Plausible || !strings.Contains(string(trials[0].Patch.Diff), "+\tif (a <= b) {") {
		t.Fatalf("first of %d: %+v", len(trials), trials[0])
	}
	regressed := false
	for i, tr := range trials {
		if i > 0 && rank(tr.Verdict) < rank(trials[i-1].Verdict) {
			t.Errorf("%s follows %s", tr.Verdict, trials[i-1].Verdict)
		}
		regressed = regressed || tr.Verdict == fix.Regresses && len(tr.Failing) == 1 && tr.Failing[0] == "TestG"
	}
	if !regressed {
		t.Error("no candidate regresses")
	}
	if n := len(trials[0].Checks); n != 2 {
		t.Errorf("%d checks", n)
	}
}

func TestRepairFollowsProbes(t *testing.T) {
	// The further clause is not among the first candidates: it follows from the probe that
	// makes the condition false, with which the failing test ends in another way.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{
			Tree: fix.Tree{Commit: commit},
			Test: `grep -q 'a < b && !a' a.c && exit 0
				grep -q '0 && a < b' a.c && echo other; echo failed; exit 1`,
		},
		Localization: all("a.c", strings.Replace(script, "count(a, 10)", "if (a) { count(a, 10); }", 1)), Trial: options(t), Budget: Budget{Tries: 300, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range trials {
		if strings.Contains(tr.Origin, "adds the clause") {
			return
		}
	}
	t.Errorf("no clause was added in %d tries", len(trials))
}

func TestRepairValidates(t *testing.T) {
	// The validator decides.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	asked := 0
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem:      fix.Problem{Tree: fix.Tree{Commit: commit}, Test: `grep -q 'a <= b' a.c`},
		Localization: all("a.c", script), Trial: options(t), Jobs: 1, Budget: Budget{Tries: 20, GallopRuns: -1},
		Validate: func(_ context.Context, p fix.Patch) (fix.Trial, error) {
			asked++
			return fix.Trial{Patch: p, Verdict: fix.Refused, Reason: "no"}, nil
		},
	})
	if err != nil || asked != 1 {
		t.Fatalf("asked %d times, %v", asked, err)
	}
	for _, tr := range trials {
		if tr.Verdict == fix.Plausible || tr.Verdict == fix.Refused && tr.Reason != "no" {
			t.Errorf("%s: %s", tr.Verdict, tr.Reason)
		}
	}
}

// A patch whose proof the end of the time cuts off is in the result, with its diff.
func TestRepairKeepsAnUnprovedPatch(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	found, err := Repair(t.Context(), h.Open(), Input{
		Problem:      fix.Problem{Tree: fix.Tree{Commit: commit}, Test: `grep -q 'a <= b' a.c`},
		Localization: all("a.c", script), Trial: options(t), Jobs: 1, Budget: Budget{Wall: 5 * time.Second, Proof: time.Millisecond, GallopRuns: -1},
		Validate: func(ctx context.Context, _ fix.Patch) (fix.Trial, error) {
			<-ctx.Done()
			return fix.Trial{}, context.Cause(ctx)
		},
	})
	if err != nil || found.Unproved == nil || found.Stopped != "stopped at --time" {
		t.Fatalf("%+v, %v", found, err)
	}
	if u := found.Unproved; u.Verdict != fix.Unproved || !strings.Contains(string(u.Patch.Diff), "+\tif (a <= b) {") {
		t.Errorf("%+v", u)
	}
}

// Wider tests that take long run in the proof alone: where their time is known, and where a first run of them is cut off.
func TestSlowSuiteRunsOnlyInTheProof(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, suite string
		took, proof time.Duration
		runs        int
	}{
		{"known", "false", time.Minute, time.Minute, 0},
		{"unknown", "sleep 30", 0, time.Second, 1},
		{"quick", "true", time.Second, time.Minute, 1},
		{"no end", "true", time.Minute, 0, 1},
	} {
		h := gittest.New(t)
		commit := h.Commit("c", gittest.Files{"a.c": script})
		count := filepath.Join(t.TempDir(), "count")
		found, err := Repair(t.Context(), h.Open(), Input{
			Problem:      fix.Problem{Tree: fix.Tree{Commit: commit}, Test: `grep -q 'a <= b' a.c`, Suite: "echo x >>" + count + "; " + c.suite},
			Localization: all("a.c", script), Trial: options(t), Jobs: 1, SuiteTook: c.took,
			Budget: Budget{Wall: 20 * time.Second, Proof: c.proof, GallopRuns: -1, Want: 1},
			Validate: func(_ context.Context, p fix.Patch) (fix.Trial, error) {
				return fix.Trial{Patch: p, Verdict: fix.Plausible}, nil
			},
		})
		if err != nil || len(found.Trials) == 0 || found.Trials[0].Verdict != fix.Plausible {
			t.Errorf("%s: %+v, %v", c.name, found, err)
		}
		text, _ := os.ReadFile(count)
		if runs := strings.Count(string(text), "x"); runs != c.runs {
			t.Errorf("%s: the wider tests ran %d times before the proof", c.name, runs)
		}
	}
}

// Where the time of the search ends, the candidate that passed the failing test beside others is proved. In jsoup, undoing the
// uncommitted change was lost, because the newest changes were still being undone.
func TestEndingProvesWhatPassed(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	for cause, want := range map[error]int{errBudget: 1, errProof: 0} {
		in := Input{
			Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: `grep -q 'a <= b' a.c`}, Trial: options(t),
			Validate: func(_ context.Context, p fix.Patch) (fix.Trial, error) {
				return fix.Trial{Patch: p, Verdict: fix.Plausible}, nil
			},
		}
		in.setDefaults()
		s := &search{in: &in, whole: t.Context(), repo: h.Open(), order: newOrder(), seen: map[string]bool{}}
		w, err := s.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		file := gitext.Overlay{Path: "a.c", Mode: 0o100644, Content: []byte(strings.Replace(script, "a < b", "a <= b", 1))}
		s.window = []waiting{{Candidate: generate.Candidate{Files: []gitext.Overlay{file}}, passed: true, direct: true}}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if err := s.ending(ctx, w, context.Canceled); err != cause || s.good != want {
			t.Errorf("%v: %v, %d plausible", cause, err, s.good)
		}
	}
}

func TestRepairEndsAtItsBudget(t *testing.T) {
	// The budgets of tries and of time end the search without an error; the caller's own
	// context ends it with one.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	in := Input{
		Problem:      fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "exit 1"},
		Localization: all("a.c", script), Trial: options(t), Budget: Budget{Tries: 5, GallopRuns: -1},
	}
	trials, err := repair(t.Context(), h.Open(), in)
	if err != nil || len(trials) != 5 {
		t.Errorf("%d tries, %v", len(trials), err)
	}
	in.Problem.Test, in.Budget = "sleep 1; exit 1", Budget{Wall: 50 * time.Millisecond}
	if _, err := repair(t.Context(), h.Open(), in); err != nil {
		t.Errorf("at the end of the time: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := repair(ctx, h.Open(), in); err == nil {
		t.Error("no error after the caller's context ended")
	}
	if _, err := repair(t.Context(), h.Open(), Input{}); err == nil {
		t.Error("no error without a test command")
	}
}

// goCase is a Go module with a bug that a single operator repairs, and a test for it.
func goCase(h *gittest.History) (gitext.OID, string) {
	const code = `package p

func Max(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func Min(a, b int) int {
	return a + b - Max(a, b)
}
`
	return h.Commit("c", gittest.Files{
		"go.mod": "module p\n\ngo 1.21\n", "p.go": code,
		"p_test.go": `package p

import "testing"

func TestMax(t *testing.T) {
	if got := Max(3, 2); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestMin(t *testing.T) {
	if got := Min(2, 2); got != 2 {
		t.Errorf("got %d", got)
	}
}
`,
	}), code
}

func TestRepairScreensGoCode(t *testing.T) {
	// Many candidates share a build: far fewer patches are tried alone than candidates are
	// tried, and the right one is found.
	if testing.Short() {
		t.Skip("it builds Go programs")
	}
	t.Parallel()
	h := gittest.New(t)
	commit, code := goCase(h)
	loc := all("p.go", code)
	loc.Locations[0].Lines = gitext.LineRange{Start: 3, End: 8}
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem:      fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "go test -count=1 -run '^TestMax$' .", Suite: "go test -count=1 ."},
		Localization: loc, Trial: options(t), Jobs: 1, Budget: Budget{Tries: 40, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	alone := 0
	for _, tr := range trials {
		if len(tr.Checks) > 0 {
			alone++
		}
	}
	if len(trials) < 5 || 2*alone > len(trials) {
		t.Errorf("%d of %d were tried alone", alone, len(trials))
	}
	if len(trials) == 0 || trials[0].Verdict != fix.Plausible || !strings.Contains(string(trials[0].Patch.Diff), "\n+\tif a >") {
		t.Errorf("%+v", trials[0])
	}
}

func TestReadScreened(t *testing.T) {
	// Outputs are told apart by the marks; a run without an end counts for nothing, and two
	// binaries are united.
	out := func(n, code int, text string) string {
		return fmt.Sprintf("\n%s begin %d %d\n%s\n%s end\n", mark, n, code, text, mark)
	}
	got := readScreened([]byte("building"+out(0, 1, "a")+out(1, 0, "b")+out(2, 124, "c")+out(0, 1, "a")+
		out(0, 0, "d")+out(1, 1, "e")+out(2, 0, "f")+out(0, 0, "d")+"\n"+mark+" begin 3 0\nx"), true)
	if len(got) != 3 || len(got[0]) != 2 || len(got[1]) != 1 || got[1][0].outcome != trial.Fails || string(got[1][0].output) != "be" ||
		!got[2][0].late || got[0][0].outcome != trial.Fails || string(got[0][1].output) != "ad" {
		t.Errorf("%+v", got)
	}
}

func TestEffects(t *testing.T) {
	// Lines that vary between runs are no effect; other texts and fewer failing tests are.
	const text = "--- FAIL: TestA\n a.go:12: got 3\n--- FAIL: TestB\n"
	b := baselineOf([]screened{{output: []byte(text + "tmp x\n")}, {output: []byte(text + "tmp y\n")}})
	for out, want := range map[string]effect{
		text + "tmp z\n":             changed, // it is a new line
		text + "tmp x\n":             none,
		text:                         none,
		"--- FAIL: TestA\n":          fewer,
		"p [build failed]\n":         unknown,
		text + "panic: nil\n":        changed,
		strings.ToUpper(text):        changed,
		"--- FAIL: TestC\n a.go:1\n": changed,
		"--- FAIL: TestA\nmake: *** [Makefile:2: test] Error 1\n":         fewer, // of the tests
		"make[1]: *** [Makefile:2: a.o] Error 1\nmake: *** [all] Error 2": unknown,
	} {
		if got := b.effectOf(trial.Result{Outcome: trial.Fails, Output: []byte(out)}, readTests([]byte(out))); got != want {
			t.Errorf("%q: %d, want %d", out, got, want)
		}
	}
	if got := b.effectOf(trial.Result{Outcome: trial.Passes}, tests{}); got != passing {
		t.Errorf("a test that passes: %d", got)
	}
	b.known = []string{"m/p:TestB"}
	for out, want := range map[string]effect{
		"--- FAIL: TestB (0.00s)\nFAIL\tm/p\t0.1s\n":                                       passing,
		"--- FAIL: TestA (0.00s)\n--- FAIL: TestB (0.00s)\nFAIL\tm/p\t0.1s\n":              changed,
		"--- FAIL: TestB (0.00s)\nFAIL\tm/p\t0.1s\n--- FAIL: TestC (0.00s)\nFAIL\tm/q\t1s": changed,
	} {
		if got := b.effectOf(trial.Result{Outcome: trial.Fails, Output: []byte(out)}, readTests([]byte(out))); got != want {
			t.Errorf("with a known failure, %q: %d, want %d", out, got, want)
		}
	}
}

func TestOrderLearns(t *testing.T) {
	// A function in which a change mattered comes before one in which changes do not.
	o := newOrder()
	in := func(location, line int) *waiting {
		c := &waiting{boost: 1}
		c.Prior, c.Location, c.Line = 1, location, line
		return c
	}
	for line := range 5 {
		for location, seen := range map[int]effect{0: none, 1: changed, 2: unknown} {
			c := in(location, line)
			o.begin(c)
			o.learn(c, seen)
		}
	}
	a, b, c, d := o.value(in(0, 9)), o.value(in(1, 9)), o.value(in(2, 9)), o.value(in(3, 9))
	if !(b > d && d > c && c > a) {
		t.Errorf("without effect %.2f, with effect %.2f, not built %.2f, not tried %.2f", a, b, c, d)
	}
}

func TestRepairCombinesPartialFixes(t *testing.T) {
	// Each of two tests needs a different change: the search joins the candidate that makes one
	// of them pass with the candidate for the other.
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.c": script})
	trials, err := repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{
			Tree: fix.Tree{Commit: commit},
			Test: `grep -Eq 'a <= b' a.c && echo '--- PASS: TestA' || { echo '--- FAIL: TestA'; bad=1; }
				grep -Eq 'a, 11' a.c && echo '--- PASS: TestB' || { echo '--- FAIL: TestB'; bad=1; }
				exit $bad`,
		},
		Localization: all("a.c", script), Trial: options(t), Budget: Budget{Tries: 300, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(trials) == 0 || trials[0].Verdict != fix.Plausible || !strings.Contains(trials[0].Origin, ", and ") {
		t.Fatalf("first of %d: %+v", len(trials), trials[0])
	}
}

func TestMerged(t *testing.T) {
	const text = "one two three four"
	for _, c := range []struct{ a, b, want string }{
		{"ONE two three four", "one two three FOUR", "ONE two three FOUR"},
		{"one two three FOUR", "two three four", "two three FOUR"},
		{"one 2 three four", "one two! three four", ""},
		{text, "one two three 4", ""},
	} {
		got, ok := merged([]byte(text), []byte(c.a), []byte(c.b))
		if ok != (c.want != "") || string(got) != c.want {
			t.Errorf("%q with %q: %q, %t", c.a, c.b, got, ok)
		}
	}
}

// A run of two test files of valibot took 14 s on a loaded machine. With 32 s left, 27 s went into two runs that only
// showed that vitest is no faster with one test, and no candidate was tried. In packaging, a run of one test of a file takes a
// tenth of the file's time, so that it is tried for a part of the time.
func TestCommandOfFewerTestsGetsAPartOfShortTime(t *testing.T) {
	t.Parallel()
	s := &search{baseline: baseline{took: 14 * time.Second}}
	ctx, cancel := context.WithTimeout(t.Context(), 32*time.Second)
	defer cancel()
	if got := s.narrowLimit(ctx); got < time.Second || got > 2*time.Second {
		t.Errorf("a run may take %s of 32s", got)
	}
	if got := s.narrowLimit(t.Context()); got != 9800*time.Millisecond {
		t.Errorf("without an end, a run may take %s", got)
	}
}
