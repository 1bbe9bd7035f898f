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
