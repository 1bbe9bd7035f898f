package testrun

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// workspace opens a workspace for a repository with one file, and returns the problem
// of its only commit.
func workspace(t *testing.T) (*trial.Workspace, fix.Problem) {
	t.Helper()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"file": "tracked\n"})
	w, err := trial.Open(t.Context(), h.Open(), trial.Options{
		Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch"), Timeout: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w, fix.Problem{Tree: fix.Tree{Commit: commit}}
}

func TestReproduceTellsHowACommandEnds(t *testing.T) {
	// Each command ends in one of the states, with the reason in How. A failing or
	// passing command is run three times, a broken one once.
	t.Parallel()
	w, p := workspace(t)
	for _, c := range []struct {
		build, test string
		state       fix.State
		how         string // a part of How
		failing     []string
		runs        int
	}{
		{test: `echo '--- FAIL: TestA (0.00s)'; printf 'FAIL\tm/p\t0.1s\n'; exit 1`, state: fix.Failing, how: "fails (exit 1)", failing: []string{"m/p:TestA"}, runs: 3},
		{test: "exit 3", state: fix.Failing, how: "fails (exit 3)", runs: 3},
		{test: "kill -SEGV $$", state: fix.Failing, how: "fails (exit 139)", runs: 3},
		{test: "true", state: fix.Passing, how: "passes", runs: 3},
		{test: "no-such-program", state: fix.Broken, how: "no-such-program: not found", runs: 1},
		{test: "echo 'ok  \tm/p\t0.1s [no tests to run]'", state: fix.Broken, how: "runs no test", runs: 1},
		{test: "echo 'no tests ran in 0.01s'; exit 5", state: fix.Broken, how: "runs no test (exit 5)", runs: 1},
		{test: "echo a.c:3:1: error: expected x; exit 2", state: fix.Broken, how: "does not build (exit 2): a.c:3: expected x", runs: 1},
		{test: "echo 'python3: No module named pytest'; exit 1", state: fix.Broken, how: "needs Python packages that are not installed (exit 1): python3: No module named pytest", runs: 1},
		{test: "echo 'sh: 1: valgrind: not found'; exit 1", state: fix.Failing, how: "fails (exit 1)", runs: 3},
		{test: "echo 'sh: 1: tap: not found'; echo 'make: *** [Makefile:1: check] Error 127'; exit 2", state: fix.Broken, how: "needs a program that is not installed (exit 2): sh: 1: tap: not found", runs: 1},
		{test: "echo '[FATAL] Non-resolvable parent POM for x:y:1: Cannot access central'; exit 1", state: fix.Broken, how: "needs Maven artifacts that are not downloaded (exit 1): ", runs: 1},
		{test: "echo '  calc@0.1.0 requires rustc 1.999'; exit 101", state: fix.Broken, how: "needs another version of a tool (exit 101): ", runs: 1},
		{build: "echo 'npm error code ENOTFOUND'; exit 1", test: "true", state: fix.Broken, how: "needs Node.js packages that are not installed (exit 1): ", runs: 1},
		{test: "exit 125", state: fix.Broken, how: "said that it cannot tell", runs: 1},
		{build: "touch built", test: "test -e built", state: fix.Passing, how: "passes", runs: 3},
		{build: "echo '/bin/ld: two definitions'; exit 2", test: "true", state: fix.Broken, how: "does not build (exit 2): /bin/ld: two definitions", runs: 1},
		{build: "exit 3", test: "true", state: fix.Broken, how: "does not build (exit 3)", runs: 1},
		{build: "echo a.c:4:1: error: bad; exit 2", test: "true", state: fix.Broken, how: "does not build (exit 2): a.c:4: bad", runs: 1},
		{build: "no-such-compiler", test: "true", state: fix.Broken, how: "no-such-compiler: not found", runs: 1},
	} {
		p.Build, p.Test = c.build, c.test
		got, err := Reproduce(t.Context(), w, p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.State != c.state || !strings.Contains(got.How, c.how) || !slices.Equal(got.Failing, c.failing) || got.Runs != c.runs || got.Command != c.test {
			t.Errorf("build %q, test %q: %s after %d runs, it %s, failing %q", c.build, c.test, got.State, got.Runs, got.How, got.Failing)
		}
	}
}

func TestReproduceFindsFlakyTests(t *testing.T) {
	// A command that fails in the second run only is flaky. Names that fail in some
	// failing runs only are not in Failing.
	t.Parallel()
	w, p := workspace(t)
	count := `n=$(cat runs 2>/dev/null || echo 0); n=$((n+1)); echo $n >runs; `
	p.Test = count + `test $n = 2 && echo 'not ok 1 - sometimes' && exit 1; exit 0`
	got, err := Reproduce(t.Context(), w, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.State != fix.Flaky || got.How != "fails in 1 of 3 runs" || !slices.Equal(got.Failing, []string{"sometimes"}) || !strings.Contains(string(got.Output), "not ok") {
		t.Errorf("%s, it %s, failing %q, output %q", got.State, got.How, got.Failing, got.Output)
	}

	w, p = workspace(t)
	p.Test = count + `echo 'not ok 1 - always'; test $n = 3 && echo 'not ok 2 - also'; exit 1`
	if got, err = Reproduce(t.Context(), w, p, Options{}); err != nil {
		t.Fatal(err)
	}
	if got.State != fix.Failing || !slices.Equal(got.Failing, []string{"always"}) || got.How != "fails (exit 1), and in some runs also fails too" {
		t.Errorf("%s, it %s, failing %q", got.State, got.How, got.Failing)
	}
}

func TestReproduceStopsAtItsLimits(t *testing.T) {
	// A run that reaches its time limit is broken. When the budget is used up after
	// one run, the command is not run again.
	t.Parallel()
	w, p := workspace(t)
	p.Test = "sleep 100"
	got, err := Reproduce(t.Context(), w, p, Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if got.State != fix.Broken || got.How != "ran into its time limit of 1s" || got.Runs != 1 {
		t.Errorf("%s after %d runs, it %s", got.State, got.Runs, got.How)
	}
	p.Test = "exit 1"
	if got, err = Reproduce(t.Context(), w, p, Options{Budget: time.Nanosecond}); err != nil || got.Runs != 1 || got.State != fix.Failing {
		t.Errorf("%s after %d runs, %v", got.State, got.Runs, err)
	}
	if got, err = Reproduce(t.Context(), w, p, Options{Runs: 2}); err != nil || got.Runs != 2 {
		t.Errorf("%s after %d runs, %v", got.State, got.Runs, err)
	}
}

func TestReproduceUsesTheTreeInEachRun(t *testing.T) {
	// Files are laid over the commit, and a run's changes of tracked files are undone before
	// the next run.
	t.Parallel()
	w, p := workspace(t)
	p.Tree.Over = []gitext.Overlay{{Path: "over", Mode: 0o100644, Content: []byte("x\n")}}
	p.Test = `test "$(cat file over)" = "$(printf 'tracked\nx')" || exit 1; echo changed >file; rm over`
	got, err := Reproduce(t.Context(), w, p, Options{})
	if err != nil || got.State != fix.Passing || got.Runs != 3 {
		t.Errorf("%s after %d runs, it %s, %v", got.State, got.Runs, got.How, err)
	}
}

func TestOutputsNameFilesRelativeToTheTree(t *testing.T) {
	// The path of the scratch work tree does not appear in outputs, so that outputs of
	// two runs and names in them can be compared.
	t.Parallel()
	w, p := workspace(t)
	p.Test = `echo "$PWD/a_test.c:3:test_a:FAIL: at file://$PWD/b.js:1:2"; exit 1`
	got, err := Reproduce(t.Context(), w, p, Options{Runs: 1})
	if err != nil || string(got.Output) != "a_test.c:3:test_a:FAIL: at b.js:1:2\n" {
		t.Errorf("output %q, %v", got.Output, err)
	}
}

func TestLongOutputsKeepBothEnds(t *testing.T) {
	// Names in the middle of a long output are found, and the output that is kept is
	// short and says what it lacks.
	t.Parallel()
	w, p := workspace(t)
	p.Test = `yes 0123456789abcde | head -c 200000; echo; echo 'not ok 1 - in the middle'; yes 0123456789abcde | head -c 200000; echo; echo end; exit 1`
	got, err := Reproduce(t.Context(), w, p, Options{Runs: 1})
	if err != nil {
		t.Fatal(err)
	}
	out := string(got.Output)
	if !slices.Equal(got.Failing, []string{"in the middle"}) || len(out) > 2*keptOutput+100 || !strings.HasSuffix(out, "end\n") || !strings.Contains(out, " bytes left out]") {
		t.Errorf("failing %q, %d bytes", got.Failing, len(out))
	}
	if !testlog.Read(got.Output).Cut {
		t.Error("Read does not say that the output is cut")
	}
}

func TestUncached(t *testing.T) {
	// A repeated go test does not answer from its cache. GOFLAGS of the user stay.
	t.Setenv("GOFLAGS", "-mod=mod")
	for command, want := range map[string][]string{
		"go test ./...":          {"GOFLAGS=-mod=mod -count=1"},
		"go test -count=1 ./...": nil,
		"make check":             nil,
	} {
		if got := Uncached(command); !slices.Equal(got, want) {
			t.Errorf("%q: %q", command, got)
		}
	}
}

func TestJudgeOffline(t *testing.T) {
	// Tests that all end because no server answers say nothing about the program while the commands have
	// no network. A failed assertion is the program's.
	t.Parallel()
	const refused = "  1) store saves:\n     Error: connect ECONNREFUSED 127.0.0.1:5432\n      at TCPConnectWrap.afterConnect (node:net:1555:16)\n"
	const head = "  store\n    1) saves\n\n  0 passing (9ms)\n  1 failing\n\n"
	for output, want := range map[string]fix.State{
		head + refused: fix.Broken,
		head + "  1) store saves:\n     AssertionError: expected 2 attempts\n     Error: connect ECONNREFUSED 127.0.0.1:5432\n": fix.Failing,
		head + "  1) store saves:\n     TypeError: x is not a function\n":                                                       fix.Failing,
		"F.\n____ test_a ____\n\n>       connect()\nE       ConnectionRefusedError: [Errno 111] Connection refused\n\ntest_x.py:3: ConnectionRefusedError\n" +
			"FAILED test_x.py::test_a - ConnectionRefusedError: [Errno 111] Connection refused\n1 failed, 1 passed in 0.10s\n": fix.Broken,
	} {
		res := trial.Result{Outcome: trial.Fails, Exit: 1, Output: []byte(output)}
		e := Judge(res, t.TempDir(), "x", time.Now())
		if e.State != fix.Failing {
			t.Errorf("online, it is %v:\n%s", e.State, output)
		}
		if e.judgeOffline(); e.State != want {
			t.Errorf("%v, want %v:\n%s", e.State, want, output)
		}
	}
}
