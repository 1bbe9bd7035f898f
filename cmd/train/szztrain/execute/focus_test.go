package execute

import (
	"slices"
	"strings"
	"testing"

	"git-agent/gitext"
)

// A changed line belongs to its enclosing test. A line outside of all tests may affect all of
// them, except an import.
func TestTestsOfLines(t *testing.T) {
	python := strings.Split(`import pytest

LIMIT = 3

class TestShape:
    @pytest.mark.parametrize("n", [
        1,
    ])
    def test_area(
        self, n,
    ):
        assert n

        assert LIMIT

    def helper(self):
        return 1

async def test_top():
    def inner():
        pass
    assert inner`, "\n")
	for _, c := range []struct {
		lines []int
		want  string
		ok    bool
	}{
		{[]int{12}, "t.py::TestShape::test_area", true},
		{[]int{14, 13}, "t.py::TestShape::test_area", true},
		{[]int{6}, "t.py::TestShape::test_area", true},
		{[]int{1, 21, 15}, "t.py::test_top", true},
		{[]int{22, 12}, "t.py::test_top t.py::TestShape::test_area", true},
		{[]int{3}, "", false},
		{[]int{17}, "", false},
		{[]int{1}, "", true},
	} {
		got, ok := testsOfLines("Python", "t.py", []byte(strings.Join(python, "\n")), c.lines)
		if strings.Join(got, " ") != c.want || ok != c.ok {
			t.Errorf("lines %v: %v %t, want %s %t", c.lines, got, ok, c.want, c.ok)
		}
	}
	text := "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tt.Log()\n}\n\nvar x = 1\n"
	if got, ok := testsOfLines("Go", "a_test.go", []byte(text), []int{6}); !ok || !slices.Equal(got, []string{":TestA"}) {
		t.Errorf("%v %t", got, ok)
	}
	if got, ok := testsOfLines("Go", "a_test.go", []byte(text), []int{6, 9}); ok {
		t.Errorf("a variable belongs to no test: %v", got)
	}
}

// The scripts of package.json name the runner, and the modules that it loads before the tests.
func TestNodeCommand(t *testing.T) {
	files := []string{"test/a.js", "test/it's.js"}
	for script, want := range map[string]string{
		"nyc mocha -r ./test/setup test/*.js && xo": `mocha --reporter=spec -r ./test/setup test/a.js 'test/it'\''s.js'`,
		"jest --coverage":         `jest --ci --verbose --coverage=false test/a.js 'test/it'\''s.js'`,
		"node --test":             `node --test --test-reporter=spec test/a.js 'test/it'\''s.js'`,
		"tap test/*.js":           `node test/a.js && node 'test/it'\''s.js'`,
		"nyc tape 'test/**/*.js'": `tape test/a.js 'test/it'\''s.js'`,
		"make check":              "",
	} {
		if got := nodeCommand(map[string]string{"lint": "mocha", "test": script}, files); got != want {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	if got := nodeCommand(map[string]string{"test": "npm run unit", "unit": "mocha"}, files[:1]); got != "mocha --reporter=spec test/a.js" {
		t.Errorf("another script tests: %s", got)
	}
}

// Removed lines count, and lines that are only added do not.
func TestOldRanges(t *testing.T) {
	hunks := []gitext.Hunk{{OldStart: 0, OldLines: 0}, {OldStart: 3, OldLines: 2}, {OldStart: 9, OldLines: 0}}
	if got := removedRanges(hunks); !slices.Equal(got, []gitext.LineRange{{Start: 3, End: 4}}) {
		t.Errorf("removed: %v", got)
	}
}
