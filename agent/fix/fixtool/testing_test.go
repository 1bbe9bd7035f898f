package fixtool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/gitext/gittest"
)

// script is a test command that prints what the file out has, and ends with the code in
// the file code.
const script = "cat out; exit $(cat code)"

// says sets the output and the exit code of the next run of the test command.
func (b *bench) says(out string, code int) {
	b.t.Helper()
	for name, text := range map[string]string{"out": out, "code": fmt.Sprint(code)} {
		if err := os.WriteFile(filepath.Join(b.space.Dir(), name), []byte(text), 0o600); err != nil {
			b.t.Fatal(err)
		}
	}
}

// The test tool reports the end of the command, the failing tests, and the differences from the
// last run.
func TestTestTool(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: script, Suite: script, Known: []string{"TestOld"}, Build: "test ! -e broken || { echo 'x.c:3:1: error: no'; exit 2; }"}, Options{})
	dir := b.space.Dir()
	fail := func(names ...string) (out string) {
		for _, n := range names {
			out += "--- FAIL: " + n + " (0.00s)\n    a_test.go:7: bad\n"
		}
		return out + "FAIL\n"
	}
	for _, step := range []struct {
		out  string
		code int
		args m
		want string
	}{
		{fail("TestA", "TestB"), 1, m{}, "the test command fails (exit 1)\nfailing tests (2): TestA; TestB\n\n--- FAIL: TestA (0.00s)\n    a_test.go:7: bad\n--- FAIL: TestB (0.00s)\n    a_test.go:7: bad\nFAIL\n"},
		{fail("TestB", "TestC"), 1, m{}, "the test command fails (exit 1)\nfailing tests (2): TestB; TestC\nsince the last run: passes now: TestA; fails now: TestC\n\n"},
		{fail("TestC", "TestB"), 1, m{}, "since the last run: the same tests fail\n"},
		{fail("TestOld"), 1, m{"suite": true}, "the command of the wider tests passes but for tests that failed before the repair: TestOld\n"},
		{fail("TestOld", "TestD"), 1, m{"suite": true}, "the command of the wider tests fails (exit 1)\nfailing tests (1): TestD\nsince the last run: fails now: TestD\n\n"},
		{"all is well\n", 0, m{}, "the test command passes\n"},
		{"--- PASS: TestA (0.00s)\n--- PASS: TestB (0.00s)\nPASS\n", 0, m{}, "the test command passes\nit ran 2 tests\n"},
		{"", 127, m{}, "the test command found no program to run (exit 127)\n"},
		{"at " + dir + "/calc.go:3\n\x1b[31mred\x1b[0m\rover\x1b[K\n", 1, m{}, "\nat calc.go:3\nover\n"},
		{"x\nx\nx\nok  \ta/b\t0.1s\n=== RUN TestX\n--- PASS: TestX\ny\n", 1, m{}, "\nx\nx\nx\n(3 lines of tests that pass)\ny\n"},
		{strings.Repeat("x\n", 40), 1, m{}, "\nx\n(the same line 39 more times)\n"},
		{"    Expected:\n        ok 1 a text that the test expects, of a tool that prints results\n        ok 2 a text that the test expects, of a tool that prints results\n    end\n", 1, m{},
			"\n    Expected:\n        ok 1 a text that the test expects, of a tool that prints results\n        ok 2 a text that the test expects, of a tool that prints results\n    end\n"},
		{fail(strings.Split(strings.Repeat("TestX,", 19)+"TestX", ",")...), 1, m{}, "failing tests (1): TestX\n"},
	} {
		b.says(step.out, step.code)
		if got := b.call("test", step.args); !strings.Contains(got, step.want) || strings.HasPrefix(step.want, "the ") && !strings.HasPrefix(got, step.want) {
			t.Errorf("%q:\n%s\nwant:\n%s", step.out, got, step.want)
		}
	}
	b.says("", 0)
	os.WriteFile(filepath.Join(dir, "broken"), nil, 0o600)
	if got := b.call("test", m{}); got != "the test command does not build (exit 2): x.c:3: no\n\nx.c:3:1: error: no\n" {
		t.Errorf("%s", got)
	}
}

// Of a long output the failing part is shown, in bounds.
func TestTestOutputIsBounded(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: script}, Options{})
	noise := func(n int) (out string) {
		for i := range n {
			out += fmt.Sprintf("some noise of the build, number %d\n", i)
		}
		return out
	}
	for name, test := range map[string]struct{ out, want string }{
		"in the middle":   {noise(2000) + "thing_test.c:12: Assertion `a == b' failed.\n" + noise(2000), "number 1999\nthing_test.c:12: Assertion `a == b' failed.\n"},
		"many failures":   {strings.Repeat("a\nError: bad\nb\n", 5000), "Error: bad\n"},
		"one long line":   {strings.Repeat("é", 300_000), " [git-agent left out 299700 characters] "},
		"no line breaks":  {strings.Repeat("error ", 200_000), " [git-agent left out 1199"},
		"a long line":     {"got " + strings.Repeat("a", 500) + "!\n", "aa [git-agent left out 205 characters] aa"},
		"control bytes":   {"a\x00b\x07\u202ec\n", `a\x00b\x07\u202ec`},
		"invalid UTF-8":   {"\xff\xfe\n", `\xff\xfe`},
		"megabytes":       {strings.Repeat("x\ny\n", 2<<20), "x\ny\n"},
		"broken escapes":  {"\x1b[31\x1b]0;title\n", "title"},
		"carriage return": {strings.Repeat("10%\r", 1000) + "done\n", "done\n"},
	} {
		b.says(test.out, 1)
		if got := b.call("test", m{}); !strings.Contains(got, test.want) || len(got) > maxExcerpt+3000 {
			t.Errorf("%s: %d bytes\n%.2000s", name, len(got), got)
		}
	}
}

// Without wider tests the tool has no parameter; without any command there is no tool.
func TestTestToolOfOtherProblems(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: "echo fine"}, Options{})
	if got := b.call("test", m{"suite": true}); !strings.HasPrefix(got, `error: there is no parameter "suite"`) {
		t.Errorf("%s", got)
	}
	b = newBench(t, calcFiles, fix.Problem{Suite: "echo fine"}, Options{})
	if got := b.call("test", m{}); got != "the command of the wider tests passes\n" {
		t.Errorf("%s", got)
	}
	b = newBench(t, calcFiles, fix.Problem{}, Options{})
	for _, tool := range b.box.Tools() {
		if tool.Spec().Name == "test" {
			t.Error("there is a test tool and nothing to run")
		}
	}
}

// Success is accepted only if the command passes with the files as they are. After three
// objections a fourth claim ends the repair as a failure.
func TestFinish(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	claim := m{"status": "success", "explanation": "done", "introduced_by": "0123456789abcdef"}
	b.call("test", m{})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a | b"})
	golden := "error: the test command was run with the files as they are, so the bug is not repaired; go on, or finish with status failure\n\nthe test command fails (exit 1)\nfailing tests (1): TestAdd\nsince the last run: the same tests fail\n\n--- FAIL: TestAdd (0.00s)\n    calc_test.go:5: got -1, want 3\n"
	if got := b.call("finish", claim); got != golden {
		t.Errorf("%s", got)
	}
	if got := b.call("finish", claim); got != "error: the test command still fails with the files as they are, so the bug is not repaired; go on, or finish with status failure\n" {
		t.Errorf("%s", got)
	}
	if got := b.call("finish", m{"status": "success"}); got != "error: \"explanation\" is missing: say in one or two sentences what the patch does\n" {
		t.Errorf("%s", got)
	}
	b.call("finish", claim)
	res := b.result("finish", claim)
	if res.Text != "finished: failure\n" || !res.Final || !res.Nothing || b.box.Objections() != 3 {
		t.Errorf("%+v, %d objections", res, b.box.Objections())
	}
	if c := b.box.Finished().Claim; c.Success || c.Explanation != "done" || c.Introduced != "" {
		t.Errorf("%+v", c)
	}
}

// A run that was ended at its time limit, perhaps on a busy machine, proves nothing: finish runs the
// command again. A replay reads the same from the recorded answer.
func TestTimeLimitIsNoVerdict(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"})
	said := b.box.judge(false, testrun.Ending{State: fix.Broken, How: "ran into its time limit of 2s", TimedOut: true})
	if b.box.tested.known || b.box.recordedVerdict(said).known {
		t.Errorf("%+v after %q", b.box.tested, said)
	}
	if got := b.call("finish", m{"status": "success", "explanation": "x"}); got != "finished: success\n" {
		t.Errorf("%s", got)
	}
}

// Failure is always accepted. A success without a test needs a patch only.
func TestFinishWithoutATest(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{}, Options{})
	if res := b.result("finish", m{"status": "failure"}); !res.Final || b.box.Finished().Claim.Success {
		t.Errorf("%+v", res)
	}
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a | b"})
	if res := b.result("finish", m{"status": "success", "explanation": "x"}); !res.Final || !b.box.Finished().Claim.Success {
		t.Errorf("%+v", res)
	}
}

// A test that passed before the last edit does not count.
func TestFinishTestsAgainAfterAnEdit(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"})
	b.call("test", m{})
	b.call("edit", m{"path": "calc.go", "old": "a + b", "new": "a ^ b"})
	if got := b.call("finish", m{"status": "success", "explanation": "x"}); !strings.Contains(got, objectionTests) {
		t.Errorf("%s", got)
	}
}

// A model that sends finish together with a failing edit does not know that the edit failed.
// finish tells it once, before it accepts an incomplete patch.
func TestFinishAfterAnEditThatWasNotMade(t *testing.T) {
	t.Parallel()
	claim := m{"status": "success", "explanation": "x"}
	b := newBench(t, calcFiles, fix.Problem{Test: failing}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"})
	b.call("edit", m{"path": "calc.go", "old": "return a / b", "new": "return b * a"})
	if got := b.call("finish", claim); !strings.HasPrefix(got, "error: the last edit of calc.go was not made") {
		t.Fatalf("finish: %s", got)
	}
	if got := b.call("finish", claim); got != "finished: success\n" {
		t.Errorf("second finish: %s", got)
	}
	b.open(fix.Problem{Test: failing, Tree: b.box.problem.Tree}, Options{})
	b.call("edit", m{"path": "calc.go", "old": "a / b", "new": "a + b"})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"})
	if got := b.call("finish", claim); got != "finished: success\n" {
		t.Errorf("finish after an edit that was made: %s", got)
	}
}

// A model that sends an edit, both tests and finish in one answer has not seen that wider tests
// fail. finish tells it once for these files, also in a resumed run.
func TestFinishAfterWiderTestsThatFail(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("c", calcFiles)
	problem := fix.Problem{Test: failing, Suite: "grep -q 'a . b // whole' calc.go || { echo '--- FAIL: TestWhole (0.00s)'; exit 1; }"}
	claim := m{"status": "success", "explanation": "x"}
	first := benchAt(t, h, tip, problem, Options{})
	calls := first.record(
		"edit", m{"path": "calc.go", "old": "a - b", "new": "a + b"}, "test", m{}, "test", m{"suite": true}, "finish", claim,
	)
	if got := calls[len(calls)-1].res.Text; got != "error: the wider tests failed with the files as they are, as the answer of test says; go on, or call finish again if the patch is not the reason\n" {
		t.Errorf("%s", got)
	}
	second := benchAt(t, h, tip, problem, Options{})
	second.resume(calls)
	for name, b := range map[string]*bench{"first": first, "resumed": second} {
		if got := b.call("finish", claim); got != "finished: success\n" {
			t.Errorf("%s: %s", name, got)
		}
	}
	b := benchAt(t, h, tip, problem, Options{})
	b.call("test", m{"suite": true})
	b.call("edit", m{"path": "calc.go", "old": "a - b", "new": "a + b // whole"})
	b.call("test", m{})
	if got := b.call("finish", claim); got != "finished: success\n" {
		t.Errorf("after wider tests of other files: %s", got)
	}
}

// The shell changes files. The patch has only the files that belong in a patch, and finish
// judges these.
func TestBash(t *testing.T) {
	t.Parallel()
	b := newBench(t, calcFiles, fix.Problem{Test: failing + "\ngrep -q 'Add(1, 2)' calc_test.go"}, Options{Style: fix.Bash})
	var names []string
	for _, tool := range b.box.Tools() {
		names = append(names, tool.Spec().Name)
	}
	if fmt.Sprint(names) != "[bash finish]" {
		t.Errorf("tools %v", names)
	}
	for command, want := range map[string]string{
		"echo hi; exit 3":   "exit code 3\nhi\n",
		"cd lib; pwd":       "exit code 0\nlib\n",
		"pwd":               "exit code 0\n.\n",
		"kill -9 $$":        "the command was killed (exit 137)\n",
		"no-such-program-x": "found no program to run (exit 127)\n",
		"read x; echo $?":   "exit code 0\n1\n",
	} {
		if got := b.call("bash", m{"command": command}); !strings.HasPrefix(got, want) && !strings.Contains(got, want) {
			t.Errorf("%s: %s", command, got)
		}
	}
	got := b.call("bash", m{"command": "i=0; while [ $i -lt 4000 ]; do echo line $i; i=$((i+1)); done"})
	if !strings.HasPrefix(got, "exit code 0\nline 0\n") || !strings.HasSuffix(got, "line 3999\n") || !strings.Contains(got, " characters: print less, by head, tail, sed -n or grep)\n") || len(got) > 2*halfOutput+300 {
		t.Errorf("%d bytes\n%.100s", len(got), got)
	}
	b.call("bash", m{"command": `sed -i 's/a - b/a + b/' calc.go; sed -i 's/1, 2/0, 0/' calc_test.go; echo y >> go.sum; echo 'int n;' > lib/n.c
		echo x > repro.go; echo 'package x' > extra_test.go; mkdir -p node_modules/p build; echo 'x' > node_modules/p/i.js; echo 'int q;' > build/q.c; printf '#!/bin/sh\n' > lib/tool.sh
		ln -s /etc/passwd lib/link.c; mkfifo lib/pipe.c; printf 'a\0b' > lib/b.c; rm README; printf 'z' > notes.txt`})
	if got := b.patch(); got != "README 0 0; calc.go 100644 129; lib/n.c 100644 7" {
		t.Errorf("patch %s", got)
	}
	if got := b.call("finish", m{"status": "success", "explanation": "x"}); got != "finished: success\n" {
		t.Errorf("%s", got)
	}
	if got := b.file("calc_test.go"); got != calcFiles["calc_test.go"] {
		t.Errorf("the test is still %q", got)
	}
}

// Where the shell changed only tests, there is no patch.
func TestBashThatChangesTheTest(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.Files{"a.c": "x\n", "a_test.c": "exit 1\n"}, fix.Problem{Test: "sh a_test.c"}, Options{Style: fix.Bash})
	b.call("bash", m{"command": "echo exit 0 > a_test.c"})
	if got := b.call("finish", m{"status": "success", "explanation": "x"}); !strings.HasPrefix(got, "error: no file was changed that belongs in a patch (files of tests") {
		t.Errorf("%s", got)
	}
	b.call("bash", m{"command": "echo y > a.c"})
	if got := b.call("finish", m{"status": "success", "explanation": "x"}); !strings.Contains(got, objectionTests) || b.file("a_test.c") != "exit 1\n" {
		t.Errorf("%s", got)
	}
}
