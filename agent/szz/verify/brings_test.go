package verify

import (
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// says is a file with the output of pytest, which the command of the next test prints.
func says(place, text string) string {
	kind, _, _ := strings.Cut(text, ":")
	return "____ test_nth ____\n>       use()\nE       " + text + "\n\n" + place + ": " + kind + "\n" +
		"FAILED tests/test_more.py::test_nth - " + text + "\n1 failed in 0.01s\n"
}

func TestABugThatCameWithAFunction(t *testing.T) {
	// The test of a function fails before the function exists, too. In more-itertools, 6ac11b10aa78
	// adds nth_combination_with_replacement, with the bug that 06f31819121e fixes, and was refuted.
	t.Parallel()
	const absent = "AttributeError: module 'more_itertools' has no attribute 'nth'"
	h := newHistory(t)
	def := func(name, body string) string { return "def " + name + "(x):\n    " + body + "\n" }
	h.Commit("start", gittest.Files{"more.py": def("first", "return 1"), "said": says("tests/test_more.py:3", absent)})
	other := h.Commit("other", gittest.Files{"more.py": def("first", "return 2")})
	adds := h.Commit("adds", gittest.Files{"more.py": def("first", "return 2") + def("nth", "return 1"), "said": says("more.py:4", "ValueError: x")})
	h.Commit("later", gittest.Files{"README": "later\n"})
	fix := h.Commit("fix", gittest.Files{"more.py": def("first", "return 2") + def("nth", "return 2"), "said": "", "tests/test_more.py": "def test_nth(): pass\n"})
	opt := Options{}
	opt.Command = "cat said; test ! -s said"
	v, err := h.verify(t.Context(), fix, opt, adds, other)
	wantStatuses(t, v, err, "adds confirmed, other untried")
	if d := v.Suspects[0].Confirmation.Detail; !strings.Contains(d, "; nth, which it adds and the fix changes, does not exist at its parent "+other.Short()) {
		t.Error(d)
	}
	v, err = h.verify(t.Context(), fix, opt, other)
	wantStatuses(t, v, err, "other unclear")

	// --bisect finds it in few runs
	opt.Bisect = true
	v, err = h.verify(t.Context(), fix, opt, other)
	wantStatuses(t, v, err, "adds confirmed, other unclear")

	// what the fix does not change may be newer than the bug
	fix = h.Commit("fix 2", gittest.Files{"more.py": def("first", "return 3") + def("nth", "return 2"), "tests/test_more.py": "def test_nth(): pass # 2\n"})
	if v, err = h.verify(t.Context(), fix, opt, adds); err != nil || v.Suspects[0].Confirmation != nil {
		t.Errorf("a fix whose parent passes: %+v, %v", v, err)
	}
	unrelated(t)
}

// unrelated verifies a fix of another function than the one that the commit adds.
func unrelated(t *testing.T) {
	h := newHistory(t)
	const absent = "AttributeError: module 'more_itertools' has no attribute 'helper'"
	h.Commit("start", gittest.Files{"more.py": "def first(x):\n    return 1\n", "said": says("tests/test_more.py:3", absent)})
	adds := h.Commit("adds", gittest.Files{"help.py": "def helper():\n    pass\n", "said": says("more.py:4", "ValueError: x")})
	fix := h.Commit("fix", gittest.Files{"more.py": "def first(x):\n    return 2\n", "said": "", "tests/test_more.py": "def test_nth(): pass\n"})
	opt := Options{}
	opt.Command = "cat said; test ! -s said"
	v, err := h.verify(t.Context(), fix, opt, []gitext.OID{adds}...)
	wantStatuses(t, v, err, "adds unclear")
}

func TestATestThatUsesWhatIsNewerThanTheBug(t *testing.T) {
	// A helper of the tests may be newer than the bug: ripgrep's 827082a33ae7 only added TestCommand's raw_output. No
	// commit is named then.
	t.Parallel()
	const absent = "AttributeError: module 'helpers' has no attribute 'raw_output'"
	h := newHistory(t)
	h.Commit("start", gittest.Files{"more.py": "x = 1\n", "said": says("tests/test_more.py:3", absent)})
	h.Commit("helper", gittest.Files{"tests/helpers.py": "def raw_output(): pass\n", "said": says("more.py:4", "ValueError: x")})
	later := h.Commit("later", gittest.Files{"README": "later\n"})
	fix := h.Commit("fix", gittest.Files{"more.py": "x = 2\n", "said": "", "tests/test_more.py": "def test_nth(): pass\n"})
	opt := Options{Bisect: true}
	opt.Command = "cat said; test ! -s said"
	v, err := h.verify(t.Context(), fix, opt, later)
	wantStatuses(t, v, err, "later refuted")
	wantNote(t, v, "helper: the command fails since then, and its tests use raw_output, which does not exist before; the bug may be older")
}

func TestModulesByTheirNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, name string
		want       bool
	}{
		{"pkg/n.py", "pkg.n", true}, {"src/pkg/n.py", "pkg.n", true}, {"pkg/n.py", "n", false}, {"pkg/man.py", "kg.man", false},
		{"src/n.js", "src/n.js", true}, {"src/n.js", "n.js", false}, {"pkg/n/__init__.py", "pkg.n", true},
		{"src/n.js", "src/n", true}, {"src/n/index.ts", "src/n", true}, {"src/n.js", "src/no", false},
		{"in/n/a.go", "example.org/m/in/n", true}, {"n/a.go", "example.org/m/in/n", true}, {"a.go", "example.org/m/in/n", false}, {"in/n/a.go", "n", true},
	} {
		if isModule(c.file, c.name) != c.want {
			t.Errorf("%s, %s: %v", c.file, c.name, !c.want)
		}
	}
}
