package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// project is a shell script with a bug, its test, and a suite of two more tests. The
// test tool prints results in the form of pytest -v. The library must say "good".
func project(t *testing.T) (*gittest.History, fix.Problem) {
	t.Helper()
	h := gittest.New(t)
	commit := h.Commit("a library", gittest.Files{
		"lib.sh":          "say() { echo bad; }\nother() { echo fine; }\n",
		"lib_test/one.sh": check("TestSay", "say", "good"),
		"lib_test/two.sh": check("TestOther", "other", "fine"),
		"lib_test/odd.sh": check("TestOdd", "odd", "never"),
	})
	return h, fix.Problem{
		Tree:  fix.Tree{Commit: commit},
		Build: "sh -n lib.sh",
		Test:  "sh lib_test/one.sh",
		Suite: "s=0; for f in lib_test/*.sh; do sh $f || s=1; done; exit $s",
	}
}

// check is a test of a function's output.
func check(name, function, want string) string {
	return fmt.Sprintf(". ./lib.sh\nif test \"$(%s 2>&1)\" = %s; then echo 'lib_test/t.py::%s PASSED'; else echo 'lib_test/t.py::%s FAILED'; exit 1; fi\n", function, want, name, name)
}

// with is the file of a patch with that text.
func with(path, text string) gitext.Overlay {
	return gitext.Overlay{Path: path, Mode: 0o100644, Content: []byte(text)}
}

// validator makes a validator for a problem whose test fails as it should.
func validator(t *testing.T, h *gittest.History, p fix.Problem, rep fix.Reproduction) *Validator {
	t.Helper()
	return validatorWithin(t, h, p, rep, 0)
}

// validatorWithin makes a validator whose commands have a time limit.
func validatorWithin(t *testing.T, h *gittest.History, p fix.Problem, rep fix.Reproduction, limit time.Duration) *Validator {
	t.Helper()
	opt := trial.Options{Timeout: limit, Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}
	v, err := New(t.Context(), h.Open(), p, rep, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.Close()
		if left, _ := filepath.Glob(filepath.Join(opt.Scratch, "*-*")); len(left) > 0 {
			t.Errorf("left behind: %q", left)
		}
	})
	return v
}

func validate(t *testing.T, v *Validator, files ...gitext.Overlay) fix.Trial {
	t.Helper()
	got, err := v.Validate(t.Context(), fix.Patch{Files: files, Diff: []byte("what a model says")})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

const (
	repaired = "say() { echo good; }\nother() { echo fine; }\n"
	harmful  = "say() { echo good; }\nother() { echo broken; }\n"
	useless  = "say() { echo worse; }\nother() { echo fine; }\n"
)

const say = "lib_test/t.py::TestSay"

var failed = fix.Reproduction{State: fix.Failing, Runs: 2, Failing: []string{say}, Took: time.Second}

func TestTheCommandsDecide(t *testing.T) {
	// Each patch gets the verdict of the build, the test and the suite. TestOdd, which
	// fails without any patch, is held against none.
	t.Parallel()
	h, p := project(t)
	v := validator(t, h, p, failed)
	const other = "lib_test/t.py::TestOther"
	for name, c := range map[string]struct {
		text    string
		verdict fix.Verdict
		failing string
		reason  string
		checks  string
	}{
		"right":      {repaired, fix.Plausible, "", "", "passes passes fails (exit 1), as it does without the patch"},
		"wrong":      {useless, fix.Fails, say, "the test fails (exit 1)", "passes fails (exit 1)"},
		"regression": {harmful, fix.Regresses, other, "it makes " + other + " fail", "passes passes fails (exit 1)"},
		"no build":   {"say() { echo good\n", fix.NoBuild, "", "lib.sh: 2: Syntax error: end of file unexpected (expecting \"}\")", "fails (exit 2)"},
		"cheat":      {"echo all is well; exit 0\n", fix.Fails, "", "the test no longer says how many tests it ran, which were 1", "passes passes"},
		"gone":       {"say() { echo good; }\nother() { kill $$; }\n", fix.Regresses, other, other + " of the suite is no longer run", "passes passes fails (exit 1)"},
	} {
		got := validate(t, v, with("lib.sh", c.text))
		var how []string
		for _, check := range got.Checks {
			how = append(how, check.How)
		}
		if got.Verdict != c.verdict || strings.Join(got.Failing, " ") != c.failing || got.Reason != c.reason || strings.Join(how, " ") != c.checks {
			t.Errorf("%s: %s, failing %q, %q, checks %q", name, got.Verdict, got.Failing, got.Reason, how)
		}
		if got.Seconds <= 0 || got.Votes != 1 || !strings.HasPrefix(string(got.Patch.Diff), "diff --git a/lib.sh b/lib.sh\n") {
			t.Errorf("%s: %v s, %d votes, diff %q", name, got.Seconds, got.Votes, got.Patch.Diff)
		}
	}
}

func TestPatchesThatAreNotTried(t *testing.T) {
	// A patch that changes nothing, a test, or files outside of the work tree is refused before
	// any command runs.
	t.Parallel()
	h, p := project(t)
	h.Git("update-index", "--add", "--cacheinfo", "160000,"+string(h.Head())+",sub")
	h.Git("commit", "-q", "-m", "a submodule")
	p.Tree.Commit = h.Head()
	v := validator(t, h, p, failed)
	link := func(path, target string) gitext.Overlay {
		return gitext.Overlay{Path: path, Mode: 0o120000, Content: []byte(target)}
	}
	for want, files := range map[string][]gitext.Overlay{
		"it changes nothing":                                            nil,
		`it changes the test file "lib_test/one.sh"`:                    {with("lib.sh", repaired), with("lib_test/one.sh", "exit 0\n")},
		`it changes the test file "lib_test/two.sh"`:                    {{Path: "lib_test/two.sh"}},
		`it writes "../out", which is no path of the work tree`:         {with("../out", "x")},
		`it writes "/etc/passwd", which is no path of the work tree`:    {with("/etc/passwd", "x")},
		`it writes ".git/config", which is no path of the work tree`:    {with(".git/config", "x")},
		`it writes "d/.GIT/hooks/x", which is no path of the work tree`: {with("d/.GIT/hooks/x", "x")},
		`it writes "a//b", which is no path of the work tree`:           {with("a//b", "x")},
		`it writes "a\x00b", which is no path of the work tree`:         {with("a\x00b", "x")},
		`it changes the submodule "sub"`:                                {{Path: "sub"}},
		`it writes "sub/x" inside the submodule "sub"`:                  {with("sub/x", "x")},
		`it writes "lib.sh/x", but "lib.sh" is a file`:                  {with("lib.sh/x", "x")},
		`it gives "dir" the mode 40000`:                                 {{Path: "dir", Mode: 0o40000}},
		`it makes "l" a link to a place outside of the work tree`:       {link("l", "../..")},
		`it makes "d/l" a link to a place outside of the work tree`:     {link("d/l", "/etc")},
		`it writes "new/x", but "new" is a file`:                        {with("new", "x"), with("new/x", "x")},
	} {
		got := validate(t, v, files...)
		if got.Verdict != fix.Refused || got.Reason != want || got.Checks != nil {
			t.Errorf("%s (%d checks): %s\nwant %s", got.Verdict, len(got.Checks), got.Reason, want)
		}
	}
	got := validate(t, v, with("lib.sh", "say() { echo bad; }\nother() { echo fine; }\n"), gitext.Overlay{Path: "never"})
	if got.Verdict != fix.Refused || got.Reason != "it changes nothing" {
		t.Errorf("the tree as it is: %s, %s", got.Verdict, got.Reason)
	}
}

func TestTestsMayBeEditedOnRequest(t *testing.T) {
	t.Parallel()
	// With EditTests, a patch may change a test, and a directory may make room for a file.
	h, p := project(t)
	p.EditTests, p.Suite = true, ""
	v := validator(t, h, p, failed)
	got := validate(t, v, with("lib_test/one.sh", check("TestSay", "say", "bad")))
	if got.Verdict != fix.Plausible || len(got.Checks) != 2 {
		t.Errorf("%s, %s, %v", got.Verdict, got.Reason, got.Checks)
	}
	got = validate(t, v, with("lib_test", "x"))
	if want := `it makes a file of "lib_test", which is a directory with files`; got.Reason != want {
		t.Errorf("%s, %s", got.Verdict, got.Reason)
	}
}

func TestWhatTheTestWritesIsNoPatch(t *testing.T) {
	// Files that the problem's own commands make or change are taken out of a patch; a
	// change of such a file that the commands do not make stays.
	t.Parallel()
	h, p := project(t)
	h.Commit("sums", gittest.Files{"go.sum": "a\n", "kept.txt": "m\n"})
	p.Tree.Commit = h.Head()
	p.Test, p.Suite = "echo b >>go.sum; echo n >>kept.txt; mkdir -p out; date >out/built; "+p.Test, ""
	v := validator(t, h, p, failed)
	got := validate(t, v, with("go.sum", "a\nb\n"), with("lib.sh", repaired), with("out/built", "yesterday"), with("kept.txt", "my own\n"))
	var names []string
	for _, f := range got.Patch.Files {
		names = append(names, f.Path)
	}
	if got.Verdict != fix.Plausible || strings.Join(names, " ") != "lib.sh kept.txt" {
		t.Errorf("%s, %s, %q", got.Verdict, got.Reason, names)
	}
	if got := validate(t, v, with("go.sum", "a\nb\n")); got.Verdict != fix.Refused || got.Reason != "it changes nothing" {
		t.Errorf("only noise: %s, %s", got.Verdict, got.Reason)
	}
}

func TestATrialSeesNothingOfTheOneBefore(t *testing.T) {
	// What a patch and its commands leave, ignored files and links out of the tree
	// included, is gone in the next trial; a patch of a file that a command changes
	// applies to the file of the tree.
	t.Parallel()
	h, p := project(t)
	h.Commit("ignore", gittest.Files{".gitignore": "*.o\n"})
	p.Tree.Commit = h.Head()
	p.Tree.Over = []gitext.Overlay{with("mine", "uncommitted\n")}
	p.Build = "test ! -e left.o && test ! -L away && test ! -p pipe && test ! -d nested && grep -q uncommitted mine"
	p.Test = "touch left.o; echo x >mine; ln -s / away; mkfifo pipe; git init -q nested; mkdir -p ro/x; chmod 500 ro; " + p.Test
	v := validator(t, h, p, failed)
	for _, files := range [][]gitext.Overlay{{with("lib.sh", useless), with("extra.o", "x")}, {with("lib.sh", useless)}, {with("lib.sh", repaired)}} {
		got := validate(t, v, files...)
		if len(got.Checks) < 2 {
			t.Fatalf("%s: %s", got.Verdict, got.Reason)
		}
	}
}

// A test that passed beside the failing one must still run with the patch.
func TestNoTestIsLost(t *testing.T) {
	t.Parallel()
	h, p := project(t)
	p.Test, p.Suite = "sh lib_test/one.sh; s=$?; test -e skip || sh lib_test/two.sh || s=1; exit $s", ""
	v := validator(t, h, p, failed)
	if got := validate(t, v, with("lib.sh", repaired)); got.Verdict != fix.Plausible {
		t.Errorf("the repair: %s, %s", got.Verdict, got.Reason)
	}
	got := validate(t, v, with("lib.sh", repaired), with("skip", ""))
	if want := "lib_test/t.py::TestOther, which passed before, is no longer run"; got.Verdict != fix.Fails || got.Reason != want {
		t.Errorf("without the other test: %s, %s", got.Verdict, got.Reason)
	}
}

// In commander.js, a bug ends a file before its first test: node --test names it like the file, as a test that passes. Without
// the bug, it has tests of its own; a file that is not run at all is lost.
func TestAFileThatEndedEarlyIsNotLost(t *testing.T) {
	t.Parallel()
	h, p := project(t)
	p.Test, p.Suite = `. ./lib.sh; echo "TAP version 13"; if test "$(say)" = good; then echo "ok 1 - says"; $(other) && exit 0; fi
		echo "not ok 1 - says"; echo "ok 2 - test/help.test.js"; exit 1`, ""
	rep := failed
	rep.Failing = []string{"says"}
	for text, want := range map[string]fix.Verdict{
		"say() { echo good; }\nother() { echo echo ok 2 - helps; }\n": fix.Plausible,
		"say() { echo good; }\nother() { echo true; }\n":              fix.Fails,
	} {
		if got := validate(t, validator(t, h, p, rep), with("lib.sh", text)); got.Verdict != want {
			t.Errorf("%s: %s, %s", text, got.Verdict, got.Reason)
		}
	}
}

// A tool that names no passing test does not show which ran with the patch. That a test prints what another tool says of a
// passing one alters nothing.
func TestPassingTestsWithoutNames(t *testing.T) {
	t.Parallel()
	h, p := project(t)
	p.Test, p.Suite = `. ./lib.sh; echo "TAP version 13"; echo "ok 1 - HEAD"; if test "$(say)" = good; then echo "      Tests  9 passed (9)"; exit 0; fi
		echo " FAIL  a.test.ts > says"; echo "      Tests  1 failed | 8 passed (9)"; exit 1`, ""
	rep := failed
	rep.Failing = []string{"a.test.ts > says"}
	if got := validate(t, validator(t, h, p, rep), with("lib.sh", repaired)); got.Verdict != fix.Plausible {
		t.Errorf("%s, %s", got.Verdict, got.Reason)
	}
}

func TestATestThatFailsNowAndThenIsRunOften(t *testing.T) {
	// If the failure was seen in one of three runs, one passing run proves nothing. A
	// test of a patch that hangs is ended.
	t.Parallel()
	h, p := project(t)
	p.Build, p.Suite = "", ""
	p.Test = `n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >n; test "$n" -lt 2 || sh lib_test/one.sh`
	v := validator(t, h, p, fix.Reproduction{State: fix.Flaky, Runs: 3})
	if got := validate(t, v, with("lib.sh", useless)); got.Verdict != fix.Fails || len(got.Checks) != 3 {
		t.Errorf("%s after %d checks", got.Verdict, len(got.Checks))
	}
	if got := validate(t, v, with("lib.sh", repaired)); got.Verdict != fix.Plausible || len(got.Checks) != 3 {
		t.Errorf("%s after %d checks", got.Verdict, len(got.Checks))
	}
	hanging := validatorWithin(t, h, fix.Problem{Tree: p.Tree, Test: ". ./lib.sh; say; exit 1"}, failed, time.Second)
	if got := validate(t, hanging, with("lib.sh", "say() { sleep 1000; }\n")); got.Verdict != fix.TimesOut || got.Reason != "the test ran into its time limit of 1s" {
		t.Errorf("%s, %s", got.Verdict, got.Reason)
	}
}

func TestKnownFailuresOfTheTestCommand(t *testing.T) {
	// A command that runs a second test, which is known to fail, proves a patch as soon
	// as the other test passes, and not when no test is run at all.
	t.Parallel()
	h, p := project(t)
	p.Test, p.Suite, p.Known = p.Suite, "", []string{"lib_test/t.py::TestOdd"}
	v := validator(t, h, p, fix.Reproduction{State: fix.Failing, Failing: []string{"lib_test/t.py::TestOdd", say}})
	if got := validate(t, v, with("lib.sh", repaired)); got.Verdict != fix.Plausible {
		t.Errorf("%s, %s", got.Verdict, got.Reason)
	}
	if got := validate(t, v, with("lib.sh", useless)); got.Verdict != fix.Fails || strings.Join(got.Failing, " ") != say {
		t.Errorf("%s, %q", got.Verdict, got.Failing)
	}
	if got := validate(t, v, with("lib.sh", "echo all is well; exit 0\n")); got.Verdict != fix.Fails || got.Reason != "the failing test is no longer run" {
		t.Errorf("tests that do not run: %s, %s", got.Verdict, got.Reason)
	}
}

func TestSuitesAndLintersThatNameNoTest(t *testing.T) {
	// A suite or linter that fails without a patch too, with the same output, is held
	// against no patch; one that begins to fail is.
	t.Parallel()
	h, p := project(t)
	for name, c := range map[string]struct {
		suite, lint string
		want        fix.Verdict
	}{
		"suite fails as before":  {"echo never worked; exit 1", "", fix.Plausible},
		"suite fails anew":       {". ./lib.sh; test $(say) = bad", "", fix.Regresses},
		"suite fails otherwise":  {". ./lib.sh; say; exit 1", "", fix.Regresses},
		"linter accepts":         {"", "true", fix.Plausible},
		"linter rejects all":     {"", "false", fix.Plausible},
		"linter rejects the new": {"", "! grep -q good lib.sh", fix.Regresses},
	} {
		p.Suite, p.Lint = c.suite, c.lint
		got := validate(t, validator(t, h, p, failed), with("lib.sh", repaired))
		if got.Verdict != c.want {
			t.Errorf("%s: %s, %s", name, got.Verdict, got.Reason)
		}
		last := got.Checks[len(got.Checks)-1].How
		if said := strings.HasSuffix(last, ", as it does without the patch"); said != (name == "suite fails as before") {
			t.Errorf("%s: the last command %s", name, last)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	// Patches that are validated at the same time do not see each other, and the
	// commands run without a patch once for all. A caller who gives up gets its reason.
	t.Parallel()
	h, p := project(t)
	count := filepath.Join(t.TempDir(), "count")
	p.Suite = fmt.Sprintf("grep -q bad lib.sh && echo x >>%s; %s", count, p.Suite)
	v := validator(t, h, p, failed)
	stopped, stop := context.WithCancelCause(t.Context())
	reason := errors.New("the user has gone")
	stop(reason)
	if _, err := v.Validate(stopped, fix.Patch{Files: []gitext.Overlay{with("lib.sh", repaired)}}); !errors.Is(err, reason) {
		t.Errorf("stopped: %v", err)
	}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			text, want := repaired, fix.Plausible
			if i%2 == 0 {
				text, want = useless, fix.Fails
			}
			if got, err := v.Validate(t.Context(), fix.Patch{Files: []gitext.Overlay{with("lib.sh", text)}}); err != nil || got.Verdict != want {
				t.Errorf("%d: %s, %s, %v", i, got.Verdict, got.Reason, err)
			}
		})
	}
	all.Wait()
	if runs, err := gitext.ReadOverlays(filepath.Dir(count), []string{"count"}); err != nil || string(runs[0].Content) != "x\n" {
		t.Errorf("the suite ran without a patch: %v, %v", runs, err)
	}
}

// An earlier run of the wider tests is what those that pass with a patch are compared with, so that they run once and not twice. A patch
// with which they fail is compared with a run in a clean tree.
func TestKnownSuiteSavesARun(t *testing.T) {
	t.Parallel()
	const other = "lib_test/t.py::TestOther"
	for _, c := range []struct {
		name, suite, text string
		runs              int // of the suite without the patch
		want              fix.Verdict
	}{
		{"passes", "sh lib_test/one.sh; sh lib_test/two.sh", repaired, 0, fix.Plausible},
		{"loses a test", "grep -q good lib.sh && sh lib_test/one.sh || sh lib_test/two.sh", repaired, 0, fix.Regresses},
		{"fails", "sh lib_test/one.sh; sh lib_test/odd.sh", repaired, 1, fix.Plausible},
		{"is made to fail", "sh lib_test/one.sh; sh lib_test/two.sh", harmful, 1, fix.Regresses},
	} {
		h, p := project(t)
		count := filepath.Join(t.TempDir(), "count")
		p.Suite = fmt.Sprintf("grep -q bad lib.sh && echo x >>%s; %s", count, c.suite)
		v := validator(t, h, p, failed)
		v.KnowSuite(testrun.Ending{State: fix.Failing, Exit: 1, Report: testlog.Report{Ran: 2, Passing: []string{other}, Failing: []string{say}}})
		if got := validate(t, v, with("lib.sh", c.text)); got.Verdict != c.want {
			t.Errorf("%s: %s, %s", c.name, got.Verdict, got.Reason)
		}
		text, _ := os.ReadFile(count)
		if runs := strings.Count(string(text), "x"); runs != c.runs {
			t.Errorf("%s: the suite ran %d times without the patch", c.name, runs)
		}
	}
}

// go test names its passing tests only with -v, which the proof asks for, so that an earlier run without their names is none to compare with.
func TestKnownSuiteWithoutNames(t *testing.T) {
	t.Parallel()
	h, p := project(t)
	p.Suite = "go test ./..."
	v := validator(t, h, p, failed)
	if v.KnowSuite(testrun.Ending{State: fix.Failing, Exit: 1}); v.ran != nil {
		t.Error("a run without the names of passing tests counts")
	}
}

// The checks of a proof that is cut off say which command passed, and which one was cut off.
func TestCutOffProofSaysWhatRan(t *testing.T) {
	t.Parallel()
	h, p := project(t)
	p.Suite = "grep -q bad lib.sh || sleep 60"
	v := validator(t, h, p, failed)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	got, err := v.Validate(ctx, fix.Patch{Files: []gitext.Overlay{with("lib.sh", repaired)}})
	if err == nil {
		t.Fatalf("%+v", got)
	}
	var how []string
	for _, c := range got.Checks {
		how = append(how, c.How)
	}
	if said := strings.Join(how, ", "); !strings.HasPrefix(said, "passes, passes, was cut off after ") {
		t.Errorf("%q", said)
	}
}

// go test without -v names only tests that fail. A patch with the output "ok" is plausible; a
// patch with no output about tests is not.
func TestToolThatNamesNoPassingTests(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	p := fix.Problem{Test: "sh lib_test/run.sh"}
	p.Tree.Commit = h.Commit("a library", gittest.Files{
		"lib.sh":          "say() { echo bad; }\n",
		"lib_test/run.sh": ". ./lib.sh\nif test \"$(say)\" = good; then printf 'ok  \\tm/lib\\t0.01s\\n'; else printf -- '--- FAIL: TestSay (0.00s)\\nFAIL\\nFAIL\\tm/lib\\t0.01s\\n'; exit 1; fi\n",
	})
	v := validator(t, h, p, fix.Reproduction{State: fix.Failing, Runs: 2, Failing: []string{"m/lib:TestSay"}, Took: time.Second})
	for text, want := range map[string]fix.Verdict{"say() { echo good; }\n": fix.Plausible, "echo all is well; exit 0\n": fix.Fails} {
		if got := validate(t, v, with("lib.sh", text)); got.Verdict != want {
			t.Errorf("%q: %s, %s", text, got.Verdict, got.Reason)
		}
	}
}
