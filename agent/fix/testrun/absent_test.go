package testrun

import (
	"testing"
	"time"

	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/trial"
)

// endOf judges a command that failed with an output.
func endOf(t *testing.T, command, output string) Ending {
	t.Helper()
	return Judge(trial.Result{Outcome: trial.Fails, How: "fails (exit 1)", Exit: 1, Output: []byte(output)}, t.TempDir(), command, time.Now())
}

func TestTestsThatCannotBeBuilt(t *testing.T) {
	// A test of what a commit adds does not compile before it. That says that the failure begins later,
	// if nothing but the tests is broken, and nothing but names is missing.
	t.Parallel()
	const (
		goTest = "go test ./..."
		failed = "--- FAIL: TestTwice (0.00s)\n    a_test.go:7: got 5, want 4\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL\n"
	)
	for _, c := range []struct {
		command, output string
		want            Likeness
		name            string
	}{
		{goTest, "# example.com/a [example.com/a.test]\n./a_test.go:6:12: undefined: Twice\nFAIL\texample.com/a [build failed]\nFAIL\n", Early, "Twice"},
		{
			goTest,
			"# example.com/a [example.com/a.test]\n./a_test.go:6:12: r.Names undefined (type *Route has no field or method Names)\nFAIL\texample.com/a [build failed]\nFAIL\n",
			Early, "Names",
		},
		{goTest, "# example.com/a\n./a.go:6:12: undefined: Twice\nFAIL\texample.com/a [build failed]\nFAIL\n", Other, ""},
		{
			goTest,
			"# example.com/a [example.com/a.test]\n./a_test.go:6:12: undefined: Twice\n./a_test.go:7:2: declared and not used: x\nFAIL\texample.com/a [build failed]\nFAIL\n",
			Other, "",
		},
		{ // robfig/cron before d2799502, with the tests of ccba498c
			goTest,
			"# github.com/robfig/cron/v3 [github.com/robfig/cron/v3.test]\n./chain_test.go:21:48: undefined: JobWrapper\n" +
				"./chain_test.go:38:2: undefined: NewChain\n./chain_test.go:105:46: undefined: DiscardLogger\n" +
				"./chain_test.go:105:46: too many errors\nFAIL\tgithub.com/robfig/cron/v3 [build failed]\nFAIL\n",
			Early, "JobWrapper",
		},
		{"cargo test", "error[E0425]: cannot find function `twice` in this scope\n --> tests/a.rs:3:16\n  |\nerror: could not compile `a` (test \"a\") due to 1 previous error\n", Early, "twice"},
		{"cargo test", "error[E0599]: no method named `twice` found for struct `A` in the current scope\n --> tests/a.rs:3:16\n  |\nerror: could not compile `a`\n", Early, "twice"},
		{
			"mvn test",
			"[ERROR] COMPILATION ERROR : \n[ERROR] src/test/java/ATest.java:[5,6] cannot find symbol\n[ERROR]   symbol:   method twice(int)\n[ERROR]   location: class A\n",
			Early, "twice",
		},
		{
			"ant test",
			"src/test/java/ATest.java:5: error: cannot find symbol\n    twice(3);\n    ^\n  symbol:   method twice(int)\n  location: class A\n1 error\n",
			Early, "twice",
		},
		{ // JSON-java before 72214f1b, with the tests of b2943b8f
			"mvn test",
			"[ERROR] COMPILATION ERROR : \n[ERROR] src/test/java/org/json/junit/CDLTest.java:[345,34] no suitable method found for toJSONArray(java.lang.String,char)\n" +
				"    method org.json.CDL.toJSONArray(java.lang.String) is not applicable\n" +
				"      (actual and formal argument lists differ in length)\n",
			Early, "toJSONArray",
		},
		{"ant test", "src/test/java/ATest.java:5: error: no suitable constructor found for A(int)\n    new A(3);\n    ^\n1 error\n", Early, "A"},
		{"make check", "tests/a.c:5:3: error: too many arguments to function ‘twice’; expected 1, have 2\nmake: *** [Makefile:2: check] Error 1\n", Early, "twice"},
		{"make check", "tests/a.c:5:3: error: implicit declaration of function ‘twice’ [-Wimplicit-function-declaration]\nmake: *** [Makefile:2: check] Error 1\n", Early, "twice"},
		{"make check", "tests/a.c:5:3: error: expected ‘;’ before ‘}’ token\nmake: *** [Makefile:2: check] Error 1\n", Other, ""},
	} {
		f := FailureOf(endOf(t, goTest, failed), nil)
		e := endOf(t, c.command, c.output)
		if r := f.Like(e); r.Likeness != c.want || r.Lack != c.name {
			t.Errorf("%q: %+v; it %s, %+v", c.output, r, e.How, e.Report.BuildErrors)
		}
	}
}

func TestUnbuiltUnitTests(t *testing.T) {
	// In Rust, tests that use what does not exist yet may be in the file of the code: in globset's
	// src/lib.rs, before 624bbf7d.
	t.Parallel()
	const output = "error[E0599]: no method named `matches_all` found for struct `GlobSet` in the current scope\n --> crates/globset/src/lib.rs:1001:13\n" +
		"error: could not compile `globset` (lib test) due to 1 previous error\n"
	f := FailureOf(endOf(t, "cargo test", "test tests::all ... FAILED\n\nfailures:\n    tests::all\n\ntest result: FAILED. 0 passed; 1 failed\n"), nil)
	e := endOf(t, "cargo test", output)
	if r := f.Like(e); r.Likeness == Early {
		t.Errorf("an error in the code: %+v", r)
	}
	e.UnitTest = func(p testlog.Place) bool { return p.File == "crates/globset/src/lib.rs" && p.Line == 1001 }
	if r := f.Like(e); r.Likeness != Early || r.Lack != "matches_all" {
		t.Errorf("an error in a test: %+v", r)
	}
}
