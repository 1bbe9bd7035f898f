package coverage

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParseGoTest(t *testing.T) {
	// Flags go to the compilation or to the test binary as go test would send them.
	// Flags that select tests, or that make no sense for one test, are taken out.
	t.Parallel()
	for args, want := range map[string]goCall{
		"test":                       {},
		"test ./... -run A|B -v":     {run: "A|B", packages: []string{"./..."}},
		"test -count=1 -vet off a b": {packages: []string{"a", "b"}},
		"test -race --tags=x,y -ldflags -s -short . -parallel 3": {
			build: []string{"-race", "-tags=x,y", "-ldflags=-s"}, test: []string{"-test.short", "-test.parallel=3"}, packages: []string{"."},
		},
		"test -C sub -test.run ^T$ -coverprofile c.out -cover -json": {dir: "sub", run: "^T$"},
		"test . -update more -args -x y":                             {packages: []string{"."}, test: []string{"-update", "more", "-x", "y"}},
		"test -run":                                                  {},
	} {
		if got := parseGoTest(strings.Fields(args)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if got := parseGoTest(nil); !reflect.DeepEqual(got, goCall{}) {
		t.Errorf("no arguments: %+v", got)
	}
}

func TestGoTestStates(t *testing.T) {
	// An unfinished test has a special state; names keep their order.
	t.Parallel()
	order, states := goTestStates([]byte("=== RUN   TestA\n=== RUN   TestA/x_y\nnoise --- FAIL: TestB\n    --- PASS: TestA/x_y (0.00s)\n" +
		"--- FAIL: TestA (0.00s)\n=== RUN   TestC\npanic: no\n--- SKIP: TestD (0.00s)\n"))
	if !slices.Equal(order, []string{"TestA", "TestA/x_y", "TestC", "TestD"}) {
		t.Errorf("order %q", order)
	}
	if states["TestA"] != goFailed || states["TestA/x_y"] != goPassed || states["TestC"] != goStarted || states["TestD"] != goSkipped {
		t.Errorf("states %v", states)
	}
}

func TestNamedGoTests(t *testing.T) {
	// The package before a name does not matter, and names of no test are left out.
	t.Parallel()
	got := namedGoTests([]string{"example.org/x:TestA/b c", "TestA", "x.TestA", "pkg (build failed)", "FuzzÄ", "MyTest", ""})
	if want := []string{"TestA/b c", "TestA", "FuzzÄ"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGoRunExpr(t *testing.T) {
	// The expression matches the name at each level and nothing else.
	t.Parallel()
	if got := goRunExpr("TestA/x+y/#01"); got != `^TestA$/^x\+y$/^#01$` {
		t.Error(got)
	}
}

func TestFailedGoPackages(t *testing.T) {
	// Only lines of go test that name a package count.
	t.Parallel()
	got := failedGoPackages([]byte("--- FAIL: TestA\nFAIL\nFAIL\texample.org/a\t0.1s\nFAIL\texample.org/b [build failed]\nok  \texample.org/c\t0.1s\n"))
	if len(got) != 2 || !got["example.org/a"] || !got["example.org/b"] {
		t.Errorf("%v", got)
	}
}

func TestNearby(t *testing.T) {
	// Passing subtests beside the failing one come first, the nearest of them before
	// the others; then the tests of the same file with the most similar names.
	t.Parallel()
	run := &goPackageRun{
		m: &goMeasurement{job: &job{opt: Options{MaxPassing: 4}}},
		pkg: &goPackage{
			tests: []string{"TestA", "TestOther", "TestParseX", "TestParseY", "TestZ"},
			testFile: map[string]string{
				"TestA": "b_test.go", "TestOther": "a_test.go", "TestParseX": "a_test.go", "TestParseY": "a_test.go", "TestZ": "b_test.go",
			},
		},
	}
	failing := []goResult{{
		test: "TestParseX", order: []string{"TestParseX", "TestParseX/1", "TestParseX/2", "TestParseX/3", "TestParseX/4", "TestParseX/4/a"},
		states: map[string]goState{
			"TestParseX": goFailed, "TestParseX/1": goPassed, "TestParseX/2": goPassed, "TestParseX/3": goFailed,
			"TestParseX/4": goPassed, "TestParseX/4/a": goPassed,
		},
	}}
	leaves := []goResult{{test: "TestParseX/3"}}
	want := []string{"TestParseX/2", "TestParseX/1", "TestParseY", "TestOther", "TestA", "TestZ", "TestParseX/4/a"}
	if got := run.nearby(failing, leaves); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCoverpkgIsBounded(t *testing.T) {
	// A list that one argument cannot hold keeps the packages with the nearest names.
	t.Parallel()
	l := &goListing{}
	for range 3000 {
		l.cover = append(l.cover, "example.org/far/"+strings.Repeat("x", 40))
	}
	l.cover = append(l.cover, "example.org/near/a")
	got := l.coverpkg("example.org/near/b")
	if len(got) > maxCoverpkg || !strings.HasPrefix(got, "example.org/near/a,") {
		t.Errorf("%d bytes, %.40s", len(got), got)
	}
}
