package coverage

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"
)

const pythonSource = `"""Shapes."""


def area(kind, n):
    """Compute."""
    if kind == 'square':
        return n * n
    if kind == 'line':
        return n - 1  # wrong
    return never()


def never():
    return 0
`

const pythonUnittest = `import unittest

from shape import area


class Shapes(unittest.TestCase):
    def test_square(self):
        self.assertEqual(area('square', 3), 9)

    def test_line(self):
        self.assertEqual(area('line', 1), 1)

    @unittest.skip('not today')
    def test_skipped(self):
        area('other', 1)
`

// needProgram skips a test if a program is not installed.
func needProgram(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := sandbox.Program(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

func TestPythonMeasuresEachUnittest(t *testing.T) {
	// Each test of unittest counts; a test that is skipped does not. The command
	// sets PYTHONPATH itself.
	t.Parallel()
	needProgram(t, "python3")
	sp, note := measured(t, gittest.Files{"lib/shape.py": pythonSource, "test_shape.py": pythonUnittest},
		fix.Problem{Test: "PYTHONPATH=lib python3 -m unittest test_shape"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if sp.Failing != 1 || sp.Passing != 1 || len(sp.Files) != 1 {
		t.Errorf("%d failing, %d passing, %d files: %s", sp.Failing, sp.Passing, len(sp.Files), note)
	}
	for text, want := range map[string][2]int{
		"return n - 1": {1, 0}, "if kind == 'square'": {1, 1}, "return n * n": {0, 1}, "return never": {}, "def area": {},
	} {
		if got := hits(t, sp, "lib/shape.py", pythonSource, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestPythonMeasuresPytestNearby(t *testing.T) {
	// The command selects the failing test alone. The other tests of its file give
	// the passing side.
	t.Parallel()
	needProgram(t, "python3", "pytest")
	tests := "import pytest\nfrom shape import area\n\n\n@pytest.mark.parametrize('kind,want', [('square', 1), ('line', 1), ('other', 0)])\n" +
		"def test_area(kind, want):\n    assert area(kind, 1) == want\n"
	sp, note := measured(t, gittest.Files{"shape.py": pythonSource, "test_shape.py": tests, "conftest.py": ""},
		fix.Problem{Test: "pytest -x -q 'test_shape.py::test_area[line-1]'"}, fix.Reproduction{})
	if sp == nil {
		if strings.Contains(note, "No Python process") {
			t.Skip("pytest does not run here: " + note)
		}
		t.Fatal(note)
	}
	if sp.Failing != 1 || sp.Passing != 2 {
		t.Errorf("%d failing, %d passing: %s", sp.Failing, sp.Passing, note)
	}
	if got := hits(t, sp, "shape.py", pythonSource, "if kind == 'line'"); got != [2]int{1, 1} {
		t.Errorf("hits %d", got)
	}
}

func TestPythonMeasuresAProgramAsAWhole(t *testing.T) {
	// A script without a test framework is one failing test.
	t.Parallel()
	needProgram(t, "python3")
	sp, note := measured(t, gittest.Files{"shape.py": pythonSource, "run.py": "from shape import area\nassert area('line', 1) == 1\n"},
		fix.Problem{Test: "python3 run.py"}, fix.Reproduction{})
	if sp == nil {
		t.Fatal(note)
	}
	if got := hits(t, sp, "shape.py", pythonSource, "return n - 1"); got != [2]int{1, 0} || sp.Failing != 1 || sp.Passing != 0 {
		t.Errorf("hits %d of %d and %d: %s", got, sp.Failing, sp.Passing, note)
	}
}

func TestReadPythonTestsTakesAnything(t *testing.T) {
	// Malformed lines, impossible numbers and impossible names are left out.
	t.Parallel()
	tree := newTree("/w", []string{"a.py"}, false)
	tests := readPythonTests([]byte("\n{\n{\"name\":\"t\",\"lines\":{\"/w/a.py\":[0,-1,3,99999999999],\"/w/../w/b.py\":[1],\"\":[2]}}\n" +
		"{\"name\":\"big\",\"lines\":{\"/w/a.py\":[1e400]}}\n[]\nnull\n{\"lines\":3}\n"))
	if len(tests) != 2 { // the record, and null
		t.Fatalf("%d tests", len(tests))
	}
	lines := tests[0].executed(tree)
	if len(lines) != 1 || len(lines["a.py"]) != 1 || !lines["a.py"][3] {
		t.Errorf("lines %v", lines)
	}
}
