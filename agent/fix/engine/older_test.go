package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// These are the parts of a test: one fails because of the machine, and one because of the bug.
const (
	planOf2  = "echo 1..2; no=0\n"
	toolTest = "test -e /no/such/tool && echo 'ok 1 - has the tool' || { echo 'not ok 1 - has the tool'; no=1; }\n"
	sizeTest = "test \"$(sh size.sh)\" -eq 4 && echo 'ok 2 - counts words' || { echo 'not ok 2 - counts words'; no=1; }\n"
	exits    = "exit $no\n"
)

// A test that fails without the uncommitted tests too forbids no patch. It counts if the program has
// uncommitted changes as well, and if no other test fails.
func TestOlderFailures(t *testing.T) {
	t.Parallel()
	before, after := planOf2+toolTest+exits, planOf2+toolTest+sizeTest+exits
	for _, c := range []struct {
		name     string
		over     []gitext.Overlay
		tests    string // the committed ones
		failing  []string
		commit   string // a test that is committed last
		repaired bool
	}{
		{"new test", []gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte(after)}}, before, []string{"counts words"}, "", true},
		{"committed new test", nil, before, []string{"counts words"}, after, true},
		{"no new test", nil, after, []string{"has the tool", "counts words"}, "", false},
		{
			"new test and new code",
			[]gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte(after)}, {Path: "b.sh", Mode: 0o100644, Content: []byte("true\n")}},
			before, []string{"has the tool", "counts words"}, "", false,
		},
	} {
		b := newBench(t, nil)
		h := gittest.New(t)
		h.Commit("size: count the words", gittest.Files{"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": c.tests})
		tip := h.Commit("size: count the first words", gittest.Files{"size.sh": badScript})
		if c.commit != "" {
			tip = h.Commit("test: count words", gittest.Files{"check_test.sh": c.commit})
		}
		b.Repo = h.Open()
		var err error
		if b.question.Problem.Tree, err = testcmd.WithNewTests(t.Context(), b.Repo, fix.Tree{Commit: tip, Over: c.over}); err != nil {
			t.Fatal(err)
		}
		ans := b.answer()
		if !slices.Equal(ans.Reproduction.Failing, c.failing) || len(ans.Plausible) > 0 != c.repaired {
			t.Errorf("%s: %q, %d plausible, %s", c.name, ans.Reproduction.Failing, len(ans.Plausible), ans.Declined)
		}
		if noted := strings.Contains(strings.Join(ans.Notes, "\n"), "are left out: 1 test, such as has the tool"); noted != c.repaired {
			t.Errorf("%s: %q", c.name, ans.Notes)
		}
	}
}

// Where nothing fails, the answer says what is known of the tests with uncommitted changes.
func TestNewTestsThatFindNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part bool
		want string
	}{
		{true, "sh check_test.sh passes, which runs the new tests"},
		{false, "the command may leave out check_test.sh, which has uncommitted changes: see whether it runs"},
	} {
		b := newBench(t, nil)
		b.question.Problem.Tree.Over = []gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte("true\n")}}
		b.question.Problem.Part = c.part
		b.question.Problem.Others = []fix.Commands{{Test: "true"}}
		if ans := b.answer(); !slices.Contains(ans.Notes, c.want) || ans.Declined == "" {
			t.Errorf("%v: %q, %s", c.part, ans.Notes, ans.Declined)
		}
	}
}

// Of several tests that fail by a guessed command, those that failed some commits ago, too, forbid no patch. Uncommitted
// changes without which the same tests fail alter nothing.
func TestOldFailuresOfAGuess(t *testing.T) {
	t.Parallel()
	readme := []gitext.Overlay{{Path: "README.md", Mode: 0o100644, Content: []byte("# Size\n")}}
	for _, c := range []struct {
		guessed bool
		over    []gitext.Overlay
	}{{true, nil}, {true, readme}, {false, nil}} {
		b := newBench(t, nil)
		h := gittest.New(t)
		h.Commit("size: count the words", gittest.Files{
			"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": planOf2 + toolTest + sizeTest + exits,
		})
		for i := range fewCommits {
			h.Commit(fmt.Sprint("note ", i), gittest.Files{"notes.sh": fmt.Sprintln("#", i)})
		}
		b.question.Problem.Tree = fix.Tree{Commit: h.Commit("size: count the first words", gittest.Files{"size.sh": badScript}), Over: c.over}
		if b.Repo = h.Open(); c.guessed {
			b.question.Problem.Others = []fix.Commands{{Test: "true"}}
		}
		ans := b.answer()
		noted := strings.Contains(strings.Join(ans.Notes, "\n"), " 6 commits ago, too are left out: 1 test, such as has the tool")
		if noted != c.guessed || len(ans.Plausible) > 0 != c.guessed || slices.Contains(ans.Reproduction.Failing, "has the tool") == c.guessed {
			t.Errorf("guessed %v, %d uncommitted: %q, %d plausible, %q", c.guessed, len(c.over), ans.Reproduction.Failing, len(ans.Plausible), ans.Notes)
		}
	}
}

// A test that fails without the uncommitted changes, too, forbids no patch of a guessed command: in attrs, whose
// test_wrapped_annotation fails with Python 3.11, undoing an uncommitted mistake was refused.
func TestOldFailuresBesideUncommittedCode(t *testing.T) {
	t.Parallel()
	for _, guessed := range []bool{true, false} {
		b := newBench(t, nil)
		h := gittest.New(t)
		tip := h.Commit("size: count the words", gittest.Files{
			"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": planOf2 + toolTest + sizeTest + exits,
		})
		over := gitext.Overlay{Path: "size.sh", Mode: 0o100644, Content: []byte(badScript)}
		b.Repo, b.question.Problem.Tree = h.Open(), fix.Tree{Commit: tip, Over: []gitext.Overlay{over}}
		if guessed {
			b.question.Problem.Others = []fix.Commands{{Test: "true"}}
		}
		ans := b.answer()
		noted := strings.Contains(strings.Join(ans.Notes, "\n"), "fail without the uncommitted changes too are left out: 1 test, such as has the tool")
		if noted != guessed || len(ans.Plausible) > 0 != guessed {
			t.Errorf("guessed %v: %q, %d plausible, %q", guessed, ans.Reproduction.Failing, len(ans.Plausible), ans.Notes)
		}
	}
}

// Where the clone lacks a file of the older commit, a newer one tells the old failures: the answer was a fatal error.
func TestOldFailuresInAnIncompleteClone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	h := gittest.New(t)
	first := h.Commit("size: count the words", gittest.Files{
		"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": planOf2 + toolTest + sizeTest + exits, "notes.sh": "# lost\n",
	})
	for i := range fewCommits {
		h.Commit(fmt.Sprint("note ", i), gittest.Files{"notes.sh": fmt.Sprintln("#", i)})
	}
	b.question.Problem.Tree = fix.Tree{Commit: h.Commit("size: count the first words", gittest.Files{"size.sh": badScript})}
	lost := h.Git("rev-parse", string(first)+":notes.sh")
	if err := os.Remove(filepath.Join(h.Dir, ".git", "objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	b.Repo = h.Open()
	b.question.Problem.Others = []fix.Commands{{Test: "true"}}
	ans := b.answer()
	if !strings.Contains(strings.Join(ans.Notes, "\n"), " 5 commits ago, too are left out: 1 test") || len(ans.Plausible) == 0 {
		t.Errorf("%d plausible, %q", len(ans.Plausible), ans.Notes)
	}
}

// The tests that are left run alone, where the test tool can select them.
func TestFreshFailuresRunAlone(t *testing.T) {
	t.Parallel()
	const tests = "package size\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
		"func TestTool(t *testing.T) {\n\tif _, err := os.Stat(\"/no/such/tool\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n\n" +
		"func TestLarger(t *testing.T) {\n\tif Larger(1, 2) != 2 {\n\t\tt.Fatal(Larger(1, 2))\n\t}\n}\n"
	code := func(op string) gittest.Files {
		return gittest.Files{"size.go": "package size\n\nfunc Larger(a, b int) int {\n\tif a " + op + " b {\n\t\treturn a\n\t}\n\treturn b\n}\n"}
	}
	b := newBench(t, nil)
	h := gittest.New(t)
	h.Commit("tests", gittest.Files{"go.mod": "module size\n\ngo 1.21\n", "size_test.go": tests}) // does not build
	h.Commit("larger", code(">"))
	for i := range fewCommits {
		h.Commit(fmt.Sprint("note ", i), gittest.Files{"notes.txt": fmt.Sprintln("#", i)})
	}
	tip := h.Commit("compare", code("<"))
	b.Repo, b.question.Problem = h.Open(), fix.Problem{Tree: fix.Tree{Commit: tip}, Test: "go test ./...", Others: []fix.Commands{{Test: "true"}}}
	ans := b.answer()
	if got := ans.Reproduction; !strings.Contains(got.Command, "-run") || !slices.Equal(got.Failing, []string{"size:TestLarger"}) || strings.Contains(string(got.Output), "TestTool") {
		t.Errorf("%s: %q\n%s", got.Command, got.Failing, got.Output)
	}
	if len(ans.Plausible) == 0 || len(ans.Plausible[0].Checks) != 2 {
		t.Errorf("%d plausible, notes %q", len(ans.Plausible), ans.Notes)
	}
}

// Of a distant state, tests that passed then count, and others only where none is known to have passed.
func TestFreshFailuresPassedThen(t *testing.T) {
	t.Parallel()
	then := testlog.Report{Failing: []string{"old"}, Passing: []string{"passed"}}
	for _, c := range []struct {
		distant      bool
		failing      string
		isNew        map[string]bool
		older, fresh string
	}{
		{true, "old passed absent", nil, "old absent", "passed"},
		{true, "old absent", nil, "old", "absent"},
		{false, "old passed absent", nil, "old", "passed absent"},
		{true, "old silent absent", map[string]bool{"absent": true}, "old absent", "silent"},
	} {
		older, fresh := earlier{distant: c.distant}.divide(strings.Fields(c.failing), then, c.isNew)
		if strings.Join(older, " ") != c.older || strings.Join(fresh, " ") != c.fresh {
			t.Errorf("%+v: %q, %q", c, older, fresh)
		}
	}
}

// Where the report names no passing tests, the names in the files tell which failing tests existed then.
func TestFreshFailuresExistedThen(t *testing.T) {
	t.Parallel()
	const head = "import os\nimport unittest\nfrom size import larger\n\nclass SizeTest(unittest.TestCase):\n"
	test := func(name, line string) string { return "    def test_" + name + "(self):\n        " + line + "\n" }
	tool, size := test("tool", "os.stat('/no/such/tool')"), test("larger", "self.assertEqual(larger(1, 2), 2)")
	code := func(op string) string {
		return "def larger(a, b):\n    if a " + op + " b:\n        return a\n    return b\n"
	}
	b := newBench(t, nil)
	h := gittest.New(t)
	h.Commit("larger", gittest.Files{"size.py": code(">"), "test_size.py": head + tool + size})
	for i := range fewCommits {
		h.Commit(fmt.Sprint("note ", i), gittest.Files{"notes.txt": fmt.Sprintln("#", i)})
	}
	h.Commit("another tool", gittest.Files{"test_size.py": head + tool + test("second_tool", "os.stat('/no/such/tool')") + size})
	tip := h.Commit("compare", gittest.Files{"size.py": code("<")})
	b.Repo, b.question.Problem = h.Open(), fix.Problem{Tree: fix.Tree{Commit: tip}, Test: "python3 -m unittest", Others: []fix.Commands{{Test: "true"}}}
	ans := b.answer()
	if got := ans.Reproduction.Failing; len(got) != 1 || !strings.HasPrefix(got[0], "test_larger") {
		t.Errorf("%q fail, notes %q", got, ans.Notes)
	}
	if !strings.Contains(strings.Join(ans.Notes, "\n"), " too, or are newer, are left out: 2 tests, such as ") {
		t.Errorf("notes %q", ans.Notes)
	}
	if len(ans.Plausible) == 0 {
		t.Errorf("no patch, %s, notes %q", ans.Declined, ans.Notes)
	}
}

// A test is looked for by the part of its name that is in the source.
func TestOwnName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tests/test_a.py::SizeTest::test_one[a.b::c]": "test_one",
		"example.org/size:TestLarger/a_case":          "TestLarger",
		"test/a.test.js > size > adds a.b":            "adds a.b",
		"test_size.SizeTest.test_larger":              "test_larger",
		"net.example.SizeTest.larger(int)":            "larger",
		"counts words":                                "counts words",
	} {
		if got := ownName(name); got != want {
			t.Errorf("%s: %q instead of %q", name, got, want)
		}
	}
}
