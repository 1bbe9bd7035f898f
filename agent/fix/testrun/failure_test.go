package testrun

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// TestFailure compares the outputs in testdata/failure with a failure. A file says what printed
// them, and the command; the name of an output says what must be found, and why.
func TestFailure(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/failure/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no outputs", err)
	}
	for _, name := range files {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, command, _ := strings.Cut(strings.TrimSpace(string(a.Comment)), "\n")
		var failure *Failure
		var passing []byte
		for _, f := range a.Files {
			e := Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: f.Data}, t.TempDir(), command, time.Now())
			switch verb, _, _ := strings.Cut(f.Name, ":"); verb {
			case "passing":
				passing = e.Output
			case "failure":
				failure = FailureOf(e, passing)
			default:
				if got := failure.Recurs(e); got != (verb == "recurs") {
					t.Errorf("%s: %s: %v; it %s, %q", name, f.Name, got, e.How, e.Report.Failing)
				}
			}
		}
	}
}

func TestFailureOfGo(t *testing.T) {
	// A test of Go passes where its package ends without it among the failures, and a subtest is
	// another test than its siblings. After a panic, or with -failfast, nothing is known of the other tests.
	t.Parallel()
	ending := func(command, output string) Ending {
		return Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(output)}, t.TempDir(), command, time.Now())
	}
	const (
		end     = "FAIL\nFAIL\tex.com/m/a\t0.003s\nFAIL\n"
		a       = "--- FAIL: TestA (0.00s)\n    a_test.go:3: no\n" + end
		sub     = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/one (0.00s)\n        a_test.go:3: no\n" + end
		counted = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/#01 (0.00s)\n        a_test.go:3: no\n" + end
		other   = "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/two (0.00s)\n        a_test.go:5: no\n" + end
		b       = "--- FAIL: TestB (0.00s)\n    b_test.go:3: no\n" + end
		cover   = "--- FAIL: TestB (0.00s)\n    b_test.go:3: no\nFAIL\ncoverage: 75.0% of statements\nexit status 1\nFAIL\tex.com/m/a\t0.003s\n"
		panics  = "--- FAIL: TestB (0.00s)\npanic: no [recovered]\n\tpanic: no\n\ngoroutine 1 [running]:\nFAIL\tex.com/m/a\t0.003s\nFAIL\n"
		exits   = "--- FAIL: TestB (0.00s)\n    b_test.go:3: no\nexit status 1\nFAIL\tex.com/m/a\t0.003s\nFAIL\n"
		ok      = "ok  \tex.com/m/a\t0.002s\n--- FAIL: TestB (0.00s)\n    b_test.go:3: no\nFAIL\nFAIL\tex.com/m/b\t0.003s\nFAIL\n"
		json    = `{"Action":"output","Package":"ex.com/m/a","Test":"TestB","Output":"--- FAIL: TestB (0.00s)\n"}` + "\n" +
			`{"Action":"fail","Package":"ex.com/m/a","Test":"TestB","Elapsed":0}` + "\n" + `{"Action":"output","Package":"ex.com/m/a","Output":"FAIL\n"}` + "\n" +
			`{"Action":"output","Package":"ex.com/m/a","Output":"FAIL\tex.com/m/a\t0.003s\n"}` + "\n" + `{"Action":"fail","Package":"ex.com/m/a","Elapsed":0.003}` + "\n"
	)
	for _, c := range []struct {
		first, then, command string
		want                 Likeness
	}{
		{a, b, "go test ./...", Passed},
		{a, cover, "go test -cover ./...", Passed},
		{a, ok, "go test ./...", Passed},
		{a, json, "go test -json ./...", Passed},
		{a, b, "go test -failfast ./...", Other},
		{a, panics, "go test ./...", Other},
		{a, exits, "go test ./...", Other},
		{a, "--- FAIL: TestB (0.00s)\n    b_test.go:3: no\nFAIL\nFAIL\tex.com/m/b\t0.003s\nFAIL\n", "go test ./...", Other},
		{sub, sub, "go test ./...", Same},
		{sub, a, "go test ./...", Same},
		{sub, other, "go test ./...", Other},
		{sub, "    --- PASS: TestA/one (0.00s)\n" + other, "go test -v ./...", Passed},
		{counted, other, "go test ./...", Other},
		{counted, strings.Replace(counted, "#01", "#02", 1), "go test ./...", Same},
		{strings.Replace(sub, "one", "127.0.0.1:43211", 1), strings.Replace(sub, "one", "127.0.0.1:39984", 1), "go test ./...", Same},
		{a, b, "make test", Other},
		{a, b, "go test ./... && go test -tags it ./...", Other},
		{a, strings.Replace(b, "FAIL\nFAIL", "FAIL\nexit status 3\nFAIL", 1), "go test ./...", Other},
		{a, strings.Replace(json, "FAIL\\n\"}", "FAIL\\n\"}\n"+`{"Action":"output","Package":"ex.com/m/a","Output":"exit status 3\n"}`, 2), "go test -json ./...", Other},
		{a, strings.Repeat("--- PASS: TestC (0.00s)\n", 20001) + b, "go test -v ./...", Other},
		{"test tests::it_works ... FAILED\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n",
			"test tests::it_works ... ok\ntest tests::other ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n", "cargo test", Other},
		{counted, counted, "go test ./...", Same},
		{a, "--- PASS: TestA (0.00s)\n" + panics, "go test -v ./...", Passed},
	} {
		got := FailureOf(ending(c.command, c.first), nil).Like(ending(c.command, c.then))
		if got.Likeness != c.want {
			t.Errorf("%s\n%s\n%s\n%+v, want %d", c.command, c.first, c.then, got, c.want)
		}
	}
}

func TestFailureOfABuild(t *testing.T) {
	// A failing build recurs in another one with the same error, and in nothing else.
	t.Parallel()
	ending := func(output string) Ending {
		return Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(output)}, t.TempDir(), "make check", time.Now())
	}
	const unbuilt = "main.c:3:5: error: expected ';'\nmake: *** [Makefile:2: check] Error 1\n"
	f := FailureOf(ending(unbuilt), nil)
	for output, want := range map[string]bool{
		unbuilt: true,
		"main.c:7:5: error: expected ';'\nmake: *** [Makefile:4: check] Error 1\n": true,
		"util.c:7:5: error: expected ';'\nmake: *** [Makefile:4: check] Error 1\n": true,
		"main.c:3:5: error: unknown type\nmake: *** [Makefile:2: check] Error 1\n": false,
		"not ok 1 - adds\nmake: *** [Makefile:2: check] Error 1\n":                 false,
	} {
		if got := f.Recurs(ending(output)); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}

func TestACommandThatCannotTellIsNotJudged(t *testing.T) {
	// git bisect run defines exit 125; it counts whatever the command prints.
	t.Parallel()
	res := trial.Result{Outcome: trial.Unknown, How: "said that it cannot tell (exit 125)", Exit: 125, Output: []byte("not ok 1 - adds\n")}
	if e := Judge(res, t.TempDir(), "make check", time.Now()); e.State != fix.Broken || e.Outcome() != trial.Unknown || e.How != res.How {
		t.Errorf("%s: it %s", e.State, e.How)
	}
}

func TestSaid(t *testing.T) {
	const (
		linker  = "/usr/bin/ld: cannot find -lnosuch: No such file or directory"
		gold    = "a.c:function main: error: undefined reference to 'f'"
		collect = "\ncollect2: error: ld returned 1 exit status\n"
		noRule  = "make: *** No rule to make target 'a'.  Stop."
		check   = "make: *** [Makefile:3: check] Error 1"
	)
	for output, want := range map[string]string{
		"":               "",
		"one\ntwo\n":     ": two",
		noRule + "\n":    ": " + noRule,
		linker + collect: ": " + linker,
		gold + "\nclang: error: linker command failed with exit code 1\n":                                   ": " + gold,
		linker + collect + "gmake[2]: *** [b.make:97: b] Error 1\n\ngmake: *** [Makefile:101: all] Error 2": ": " + linker,
		check + "\n": ": " + check,
	} {
		e := Ending{Output: []byte(output)}
		if got := e.Said(); got != want {
			t.Errorf("the line of %q is %q, want %q", output, got, want)
		}
	}
}
