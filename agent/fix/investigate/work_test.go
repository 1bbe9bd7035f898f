package investigate

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// Lines about tests that pass and about the build are counted, not shown; failures stay with
// their headings, at any place of a long output.
func TestOutputWithoutPassingTests(t *testing.T) {
	t.Parallel()
	w := &work{}
	for name, c := range map[string][2]string{
		"tap":   {"TAP version 13\n# one\nok 1 should be strictly equal\nok 2 equal\n# two\nnot ok 3 equal\n  ---\n    expected: 1\n# three\nok 4 x\n\n1..4\n", "TAP version 13\n(2 lines of tests that pass)\n# two\nnot ok 3 equal\n  ---\n    expected: 1\nok 4 x\n\n1..4"},
		"go":    {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL\n", "(3 lines of tests that pass)\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL"},
		"make":  {"[ 50%] Building C object a.o\nmake[1]: Entering directory '/x'\nSegmentation fault\n", "(2 lines of the build)\nSegmentation fault"},
		"plain": {"it began\n\nwrong\nwrong\nwrong\n", "it began\n\nwrong\nwrong\nwrong"},
		"often": {"it began\n\n" + strings.Repeat("wrong\n", 9), "it began\n\nwrong\n(the same line 8 more times)"},
	} {
		if got := w.outputText([]byte(c[0])); got != c[1] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c[1])
		}
	}
}

// A failure in the middle of a long output is shown.
func TestFailureInALongOutput(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("a line that says little\nand another one\n", 500)
	if got := new(work).outputText([]byte(noise + "not ok 33 sums\n  expected: 6\n" + noise)); !strings.Contains(got, "not ok 33 sums\n  expected: 6") || len(got) > 2*maxOutput {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

// Of a long function, the lines that the failing tests do not execute are left out first.
func TestShownLines(t *testing.T) {
	t.Parallel()
	var lines [][]byte
	for range 40 {
		lines = append(lines, []byte(strings.Repeat("x", 13)))
	}
	l := fix.Location{Lines: gitext.LineRange{Start: 1, End: 40}}
	if got := shownLines(lines, l, nil, 40*20); len(got) != 40 {
		t.Errorf("all: %v", got)
	}
	idle := map[int]bool{}
	for n := 5; n <= 12; n++ {
		idle[n] = true
	}
	l.Hot = []gitext.LineRange{{Start: 20, End: 20}}
	got := shownLines(lines, l, idle, 20*20)
	if len(got) != 20 {
		t.Errorf("%v", got)
	}
	for _, n := range got {
		if idle[n] {
			t.Errorf("line %d is not executed: %v", n, got)
		}
	}
}
