package coverage

import (
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

const cSource = `int area(int kind, int n)
{
	if (kind == 1)
		return n * n;
	if (kind == 2)
		return n - 1; /* wrong */
	if (kind == 3)
		return *(volatile int *)0;
	return 0;
}
`

const cPrints = `#include <stdio.h>
int area(int, int);
int main(int argc, char **argv)
{
	int ok = area(2, 1) == 1;
	printf("%s 1 - other\n", area(4, 1) == 0 ? "ok" : "not ok");
	printf("%s 2 - square\n", area(1, 3) == 9 ? "ok" : "not ok");
	ok = area(2, 1) == 1;
	printf("%s 3 - line\n", ok ? "ok" : "not ok");
	printf("ok 4 - square # SKIP\n");
	return !ok;
}
`

const cMakefile = `CFLAGS = -O1 -Werror
all: test/prints test/crash test/passes
test/%: test/%.c area.c
	$(CC) $(CFLAGS) -o $@ $^
`

var cFiles = gittest.Files{
	"area.c": cSource, "Makefile": cMakefile, "test/prints.c": cPrints,
	"test/crash.c":  "int area(int, int);\nint main(void)\n{\n\treturn area(3, 1);\n}\n",
	"test/passes.c": "int area(int, int);\nint main(void)\n{\n\treturn area(1, 2) != 4;\n}\n",
}

func TestNativeSplitsAProgramIntoItsTests(t *testing.T) {
	// The failing program prints one line for each test. Code before the first test belongs to
	// this test. The passing program beside the failing one is a test too. The makefile sets
	// CFLAGS itself.
	t.Parallel()
	needProgram(t, "gcc", "gcov", "make", "xargs", "timeout")
	sp, note := measured(t, cFiles, fix.Problem{Test: "make -s && ./test/prints"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if sp.Failing != 1 || sp.Passing != 3 || len(sp.Files) != 1 {
		t.Errorf("%d failing, %d passing, %d files: %s", sp.Failing, sp.Passing, len(sp.Files), note)
	}
	for text, want := range map[string][2]int{
		"return n - 1": {1, 1}, "if (kind == 1)": {1, 3}, "return n * n": {0, 2}, "return 0": {0, 1}, "volatile": {},
	} {
		if got := hits(t, sp, "area.c", cSource, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestNativeMeasuresACrash(t *testing.T) {
	// A signal ends the program, and its profile is written all the same.
	t.Parallel()
	needProgram(t, "gcc", "gcov", "make", "xargs", "timeout")
	sp, note := measured(t, cFiles, fix.Problem{Build: "make -s", Test: "test/crash"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "area.c", cSource, "volatile"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 1 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestTestVerdict(t *testing.T) {
	// The lines are those of Unity, GoogleTest, cmocka, TAP, greatest and CUnit.
	t.Parallel()
	type verdict struct {
		name   string
		failed bool
		ok     bool
	}
	for line, want := range map[string]verdict{
		"tests/a.c:12:parse_number:PASS":                 {"parse_number", false, true},
		"a.c:12:parse_number:FAIL: Expected 1 Was 2":     {"parse_number", true, true},
		"a.c:12:parse_number:IGNORE":                     {},
		"[       OK ] Shape.Area (0 ms)":                 {"Shape.Area", false, true},
		"[  FAILED  ] Shape.Area, where TypeParam = int": {},
		"[  FAILED  ] Shape.Area (3 ms)":                 {"Shape.Area", true, true},
		"[  FAILED  ] 2 tests, listed below:":            {},
		"[       OK ] test_area":                         {"test_area", false, true},
		"ok 12 - area of a line":                         {"area of a line", false, true},
		"not ok 3":                                       {"", true, true},
		"ok 4 # SKIP no network":                         {},
		"PASS test_area (0 ticks)":                       {"test_area", false, true},
		"FAIL test_area: wrong (a.c:3)":                  {"test_area:", true, true},
		"  Test: area of a line ...passed":               {"area of a line", false, true},
		"  Test: area of a line ...FAILED":               {"area of a line", true, true},
		"everything is ok":                               {},
		"":                                               {},
	} {
		var got verdict
		if got.name, got.failed, got.ok = testVerdict(line); got != want {
			t.Errorf("%q: %+v, want %+v", line, got, want)
		}
	}
}

func TestNearNative(t *testing.T) {
	// Of the passing tests, those remain that ran nearest to a failing one.
	t.Parallel()
	var tests []*nativeTest
	for i := range 10 {
		tests = append(tests, &nativeTest{failed: i == 6})
	}
	got := nearNative(tests, 3)
	if len(got) != 4 || got[0] != tests[6] || got[1] != tests[5] || got[2] != tests[7] || got[3] != tests[4] {
		t.Errorf("%d tests", len(got))
	}
}
