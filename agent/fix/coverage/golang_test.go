package coverage

import (
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// measured runs Measure on a repository with one commit. Programs write to the
// directory of the test only.
func measured(t *testing.T, files gittest.Files, p fix.Problem, rep fix.Reproduction) (*fix.Spectrum, string) {
	t.Helper()
	h := gittest.New(t)
	p.Tree.Commit = h.Commit("c", files)
	w := workspace(t, h)
	sp, note, err := Measure(t.Context(), w, p, rep, Options{Budget: 4 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return sp, note
}

// hits returns the numbers of failing and passing tests that execute the line of a file
// with this text.
func hits(t *testing.T, sp *fix.Spectrum, path, content, text string) [2]int {
	t.Helper()
	line := 1 + slices.IndexFunc(strings.Split(content, "\n"), func(s string) bool { return strings.Contains(s, text) })
	if line == 0 {
		t.Fatalf("%s has no line %q", path, text)
	}
	for _, h := range sp.Files[path] {
		if h.Line == line {
			return [2]int{h.Failing, h.Passing}
		}
	}
	return [2]int{}
}

const goSource = `package shape

// Area computes.
func Area(kind string, n int) int {
	switch kind {
	case "square":
		return n * n
	case "line":
		return n - 1 // wrong
	case "none":
		var p *int
		return *p
	}
	return never()
}

func never() int { return 0 }
`

const goTests = `package shape

import "testing"

func TestSquare(t *testing.T) {
	if Area("square", 3) != 9 {
		t.Fatal("square")
	}
}

func TestAll(t *testing.T) {
	for _, kind := range []string{"square", "line", "other"} {
		t.Run(kind, func(t *testing.T) {
			if n := Area(kind, 1); n != 1 && kind != "other" {
				t.Errorf("%s: %d", kind, n)
			}
		})
	}
}

func TestNone(t *testing.T) {
	t.Run("sub", func(t *testing.T) { Area("none", 1) })
}

func TestSkipped(t *testing.T) {
	t.Skip("not today")
}
`

var goFiles = gittest.Files{
	"go.mod": "module example.org/shape\n\ngo 1.21\n", "in/shape.go": goSource, "in/shape_test.go": goTests,
}

func TestGoMeasuresTheFailingSubtest(t *testing.T) {
	// The failing subtest and the passing tests and subtests run one by one. The
	// line that only the failing subtest executes has one failing test and none
	// that passes.
	t.Parallel()
	sp, note := measured(t, goFiles,
		fix.Problem{Test: `cd in && GOTOOLCHAIN=local go test -count=1 -run 'TestAll|TestSquare' .`},
		fix.Reproduction{Failing: []string{"example.org/shape/in:TestAll/line"}, Output: []byte("--- FAIL: TestAll\nFAIL\texample.org/shape/in\t0.1s\n")})
	if sp == nil {
		t.Fatal(note)
	}
	// The passing tests are TestSquare, TestAll/square and TestAll/other.
	if sp.Failing != 1 || sp.Passing != 3 {
		t.Errorf("%d failing, %d passing: %s", sp.Failing, sp.Passing, note)
	}
	for text, want := range map[string][2]int{
		"return n - 1": {1, 0}, "switch kind": {1, 3}, "return n * n": {0, 2}, "func never": {0, 1}, "return *p": {},
		"// Area computes": {},
	} {
		if got := hits(t, sp, "in/shape.go", goSource, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if len(sp.Files) != 1 {
		t.Errorf("files: %d", len(sp.Files))
	}
}

func TestGoMeasuresATestThatPanics(t *testing.T) {
	// A panic in a subtest ends the process. The profile is written all the same,
	// with names of failing tests or without.
	t.Parallel()
	for _, failing := range [][]string{{"TestNone/sub"}, nil} {
		sp, note := measured(t, goFiles, fix.Problem{Test: "go test -run 'TestNone' ./..."},
			fix.Reproduction{Failing: failing, Output: []byte("panic: runtime error: invalid memory address\n")})
		if sp == nil {
			t.Fatal(note)
		}
		if got := hits(t, sp, "in/shape.go", goSource, "return *p"); got != [2]int{1, 0} || sp.Failing != 1 {
			t.Errorf("%q: %d of %d failing: %s", failing, got, sp.Failing, note)
		}
	}
}

func TestGoCountsTestsThatFailOnlyTogether(t *testing.T) {
	// The second test fails because the first one ran before it. The tests that the
	// command selects count as one failing test.
	t.Parallel()
	files := gittest.Files{"go.mod": goFiles["go.mod"], "in/shape.go": goSource, "in/shape_test.go": `package shape

import "testing"

var ran bool

func TestFirst(t *testing.T) { ran = true; Area("square", 1) }

func TestSecond(t *testing.T) {
	if Area("line", 1); ran {
		t.Fatal("ran")
	}
}
`}
	sp, note := measured(t, files, fix.Problem{Test: "go test ./in"}, fix.Reproduction{Failing: []string{"TestSecond"}})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "in/shape.go", goSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 0 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestGoTestThatWritesNoProfile(t *testing.T) {
	// A panic of another goroutine cannot be caught. The passing tests are still
	// measured, and the note names the lost one.
	t.Parallel()
	files := gittest.Files{"go.mod": goFiles["go.mod"], "in/shape.go": goSource, "in/shape_test.go": `package shape

import "testing"

func TestSquare(t *testing.T) { Area("square", 1) }

func TestNone(t *testing.T) {
	go Area("none", 1)
	select {}
}
`}
	sp, note := measured(t, files, fix.Problem{Test: "go test ./in"}, fix.Reproduction{Failing: []string{"TestNone"}, Output: []byte("panic: x\n")})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "in/shape.go", goSource, "return n * n"); got != [2]int{0, 1} || sp.Failing != 0 || !strings.Contains(note, "TestNone") {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestGoCallThroughMake(t *testing.T) {
	// The command need not name go: the call is found behind make, with its
	// environment and its directory.
	t.Parallel()
	needProgram(t, "make")
	files := gittest.Files{
		"Makefile": "check:\n\tcd in && KIND=line go test -count=1 .\n", "go.mod": goFiles["go.mod"], "in/shape.go": goSource,
		"in/shape_test.go": "package shape\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestKind(t *testing.T) {\n\tif Area(os.Getenv(\"KIND\"), 1) != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
	}
	sp, note := measured(t, files, fix.Problem{Test: "make check"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "in/shape.go", goSource, "return n - 1"); got != [2]int{1, 0} {
		t.Errorf("hits %d: %s", got, note)
	}
}

func TestGoThatDoesNotCompile(t *testing.T) {
	// There is no spectrum, and the note says why.
	t.Parallel()
	files := gittest.Files{"go.mod": goFiles["go.mod"], "in/shape.go": goSource, "in/shape_test.go": "package shape\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { nothing() }\n"}
	sp, note := measured(t, files, fix.Problem{Test: "go test ./..."}, fix.Reproduction{})
	if sp != nil || !strings.Contains(note, "do not compile") || !strings.Contains(note, "undefined: nothing") {
		t.Errorf("%v: %s", sp, note)
	}
}
