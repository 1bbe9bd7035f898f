package coverage

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

// recorded runs a command once with a recorder, and returns what its tests executed.
func recorded(t *testing.T, files gittest.Files, command string) (*fix.Spectrum, trial.Result) {
	t.Helper()
	h := gittest.New(t)
	w := workspace(t, h)
	commit := h.Commit("c", files)
	if err := w.Prepare(t.Context(), commit, nil); err != nil {
		t.Fatal(err)
	}
	paths, err := w.Paths(t.Context(), commit, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Record(w, command, paths)
	if err != nil || r == nil {
		t.Fatalf("no recorder: %v", err)
	}
	res, err := w.Exec(t.Context(), command, trial.ExecOptions{Set: r.Set(), Writable: r.Writable()})
	if err != nil {
		t.Fatal(err)
	}
	return r.Spectrum(), res
}

func TestRecordPython(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	files := gittest.Files{"lib/shape.py": pythonSource, "test_shape.py": pythonUnittest}
	sp, res := recorded(t, files, "PYTHONPATH=lib python3 -m unittest test_shape")
	if sp == nil || sp.Failing != 1 || sp.Passing != 1 || res.Exit != 1 {
		t.Fatalf("%+v: exit %d: %s", sp, res.Exit, res.Output)
	}
	for text, want := range map[string][2]int{"return n - 1": {1, 0}, "if kind == 'square'": {1, 1}, "return n * n": {0, 1}, "def area": {}} {
		if got := hits(t, sp, "lib/shape.py", pythonSource, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if sp, res := recorded(t, files, "PYTHONPATH=lib python3 -m unittest test_shape.Shapes.test_square"); sp != nil || res.Exit != 0 {
		t.Errorf("no test fails: %+v, exit %d", sp, res.Exit)
	}
}

// Where Python traces slowly, the recorder gives up after its time, and the tests end as they do without it.
func TestRecordPythonGivesUp(t *testing.T) {
	t.Parallel()
	needProgram(t, "python3")
	const test = `import unittest

import lib


class Long(unittest.TestCase):
    def test_long(self):
        self.assertEqual(sum(lib.one() for _ in range(20000)), 19999)
`
	const limit = "GIT_AGENT_COVERAGE_SECONDS=0.001 "
	files := gittest.Files{"test_long.py": test, "lib.py": "def one():\n    return 1\n", "loop.py": "n = 0\nwhile n < 20000:\n    n += 1\nraise SystemExit(1)\n"}
	if sp, res := recorded(t, files, limit+"python3 loop.py"); res.Exit != 1 || sp != nil && !quickPython(t) {
		t.Errorf("a loop: %+v, exit %d", sp, res.Exit)
	}
	sp, res := recorded(t, files, limit+"python3 -m unittest test_long")
	if quickPython(t) != (sp != nil) || res.Exit != 1 || !strings.Contains(string(res.Output), "20000 != 19999") {
		t.Errorf("%+v, exit %d: %s", sp, res.Exit, res.Output)
	}
}

// quickPython reports whether python3 has sys.monitoring.
func quickPython(t *testing.T) bool {
	t.Helper()
	_, res := recorded(t, gittest.Files{"a.py": ""}, `python3 -c 'import sys; sys.exit(not hasattr(sys, "monitoring"))'`)
	return res.Exit == 0
}

func TestRecordJavaScript(t *testing.T) {
	t.Parallel()
	needProgram(t, "node")
	const source = "exports.area = function (n) {\n  if (n > 2) {\n    return n * n;\n  }\n  return 0;\n};\n"
	const test = "const t = require('assert');\nconst { area } = require('./shape');\nt.equal(area(1), 1);\n"
	sp, res := recorded(t, gittest.Files{"package.json": "{}", "shape.js": source, "test.js": "require('node:test').test('one', () => {\n" + test + "});\n"}, "node --test test.js")
	if sp == nil || sp.Failing != 1 || res.Exit == 0 {
		t.Fatalf("%+v: exit %d: %s", sp, res.Exit, res.Output)
	}
	for text, want := range map[string][2]int{"return 0": {1, 0}, "return n * n": {}} {
		if got := hits(t, sp, "shape.js", source, text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestRecordGo(t *testing.T) {
	t.Parallel()
	needProgram(t, "go")
	const source = "package shape\n\nfunc Area(n int) int {\n\tif n > 2 {\n\t\treturn n * n\n\t}\n\treturn 0\n}\n"
	files := gittest.Files{
		"go.mod": "module example.org/shape\n\ngo 1.21\n", "in/shape.go": source,
		// Were there no test in this package, go test would compile its tool covdata, for half a minute.
		"in/shape_test.go": "package shape\n\nimport \"testing\"\n\nfunc TestNothing(t *testing.T) {}\n",
		"shape_test.go": "package shape\n\nimport (\n\t\"testing\"\n\n\t\"example.org/shape/in\"\n)\n\n" +
			"func TestOne(t *testing.T) {\n\tif shape.Area(1) != 1 {\n\t\tt.Fatal(\"wrong\")\n\t}\n}\n\n" +
			"func TestPanics(t *testing.T) {\n\tpanic(shape.Area(1))\n}\n",
		"other/init.go": "package other\n\nfunc init() { panic(\"the tests do not import this\") }\n",
		"sub/go.mod":    "module example.org/shape/sub\n\ngo 1.21\n", "sub/sub.go": "package sub\n",
	}
	for _, command := range []string{"go test", "go test -run Panics", "sh -c 'go test --run=One -v .'", "CI=1 go test -race=false . ./in -args -- -c", "go test -json"} {
		sp, res := recorded(t, files, command)
		if sp == nil || sp.Failing != 1 || res.Exit != 1 {
			t.Fatalf("%s: %+v: exit %d: %s", command, sp, res.Exit, res.Output)
		}
		if plain := string(golang{}.plain(res.Output)); !strings.Contains(string(res.Output), "coverage: ") || strings.Contains(plain, "coverage: ") || !strings.Contains(plain, "--- FAIL: Test") {
			t.Errorf("%s: the output is %s", command, plain)
		}
		for text, want := range map[string][2]int{"return 0": {1, 0}, "return n * n": {}} {
			if got := hits(t, sp, "in/shape.go", source, text); got != want {
				t.Errorf("%s: %q: %d, want %d", command, text, got, want)
			}
		}
	}
	for out, want := range map[string]string{
		"ok  \ta\t0.1s\tcoverage: [no statements]\nFAIL\n": "ok  \ta\t0.1s\nFAIL\n",
		"\ta/b\t\tcoverage: 0.0% of statements\nFAIL\n":    "FAIL\n",
		"    a_test.go:3: coverage: none\n":                "    a_test.go:3: coverage: none\n",
	} {
		if got := string(golang{}.plain([]byte(out))); got != want {
			t.Errorf("%q is %q", out, got)
		}
	}
	for _, command := range []string{"go vet ./in && false", "go test -c -o /dev/null . && false", "go test -coverprofile=c.out", "go test -C . .", "GO111MODULE=off go test"} {
		if sp, res := recorded(t, files, command); sp != nil || res.Exit == 0 {
			t.Errorf("%s: %+v: exit %d: %s", command, sp, res.Exit, res.Output)
		}
	}
}

// Where no test fails, nothing is known of the failure.
func TestRecordPassingTests(t *testing.T) {
	t.Parallel()
	needProgram(t, "node")
	sp, _ := recorded(t, gittest.Files{"package.json": "{}", "shape.js": "exports.n = 1;\n", "test.js": "require('node:test').test('one', () => { require('./shape'); });\n"},
		"node --test test.js && false")
	if sp != nil {
		t.Errorf("%+v", sp)
	}
}

// Other languages need runs of their own, and of several languages it is not known which one the command tests.
func TestRecordNothing(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	w := workspace(t, h)
	for _, command := range []string{"cargo test", "make check", "python3 a.py && node b.js"} {
		if r, err := Record(w, command, []string{"go.mod", "package.json", "a.py"}); r != nil || err != nil {
			t.Errorf("%s: %v, %v", command, r, err)
		}
	}
}
