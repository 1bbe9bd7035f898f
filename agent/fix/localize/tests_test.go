package localize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// regions lists the lines of the failing tests that are found.
func regions(t *testing.T, h *gittest.History, in Input) string {
	t.Helper()
	in.Problem.Tree.Commit = h.Head()
	s, err := examine(t.Context(), h.Open(), in)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, r := range s.regions {
		out = append(out, fmt.Sprintf("%s:%d-%d", r.file.path, r.lines.Start, r.lines.End))
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// suite writes a repository with tests of several languages.
func suite(t *testing.T) *gittest.History {
	t.Helper()
	h := gittest.New(t)
	h.Commit("tests", gittest.Files{
		"a/a_test.go":       "package a\n\nfunc TestA(t *testing.T) {\n\tt.Run(\"some case\", func(t *testing.T) {\n\t\tF()\n\t})\n}\n\nfunc TestB(t *testing.T) {\n\tG()\n}\n",
		"test/list.js":      "test('list', function (t) {\n    t.test('adds numbers', function (st) {\n        st.equal(add(1), 2);\n        st.end();\n    });\n\n    t.test('drops numbers', function (st) {\n        st.end();\n    });\n});\n",
		"tests/test_sum.py": "class TestSum:\n    def test_one(self):\n        assert add(1) == 2\n\n    def test_two(self):\n        assert add(2) == 3\n",
		"tests/num.c":       "static void num_should_add(void)\n{\n    add(1);\n}\n\nint main(void)\n{\n    RUN_TEST(num_should_add);\n}\n",
		"tests/test_deep.c": "static void deep(void)\n{\n    add(1);\n}\n\nint main(void)\n{\n    deep();\n}\n",
		"src/FooTest.java":  "class FooTest {\n    @Test\n    void adds() {\n        add(1);\n    }\n}\n",
		"src/lib.rs":        "pub fn add() -> u8 {\n    1\n}\n\nmod tests {\n    #[test]\n    fn it_adds() {\n        add();\n    }\n}\n",
	})
	return h
}

// The source of a failing test is found by its name in the forms of common tools.
func TestNamedTests(t *testing.T) {
	t.Parallel()
	h := suite(t)
	for _, c := range []struct{ name, want string }{
		{"TestA", "a/a_test.go:3-7"},
		{"TestA/some_case", "a/a_test.go:3-7"},
		{"example.com/a:TestB", "a/a_test.go:9-11"},
		{"adds numbers", "test/list.js:2-5"},
		{"test/list.js:drops numbers", "test/list.js:7-9"},
		{"list > adds numbers", "test/list.js:2-5"},
		{"tests/test_sum.py::TestSum::test_two", "tests/test_sum.py:5-6"},
		{"tests/test_sum.py::TestSum::test_one[1-2]", "tests/test_sum.py:2-3"},
		{"num_should_add", "tests/num.c:1-4"},
		{"test_deep", "tests/test_deep.c:1-4 tests/test_deep.c:6-9"}, // CTest names the program
		{"FooTest.adds", "src/FooTest.java:2-5"},
		{"tests::it_adds", "src/lib.rs:6-9"},
		{"no such test", ""},
		{"", ""},
	} {
		if got := regions(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{c.name}}}); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

// Without a name, the failing test is found by a place of the output, by a frame of
// the stack, by what is not committed, or by the command.
func TestUnnamedTests(t *testing.T) {
	t.Parallel()
	h := suite(t)
	if got := regions(t, h, Input{Places: []Place{{"test_sum.py", 6}}}); got != "tests/test_sum.py:5-6" {
		t.Errorf("by a place: %q", got)
	}
	stack := crash.Stack{Kind: crash.StackCrash, Frames: []crash.Frame{{Function: "a.TestB", File: "/builds/w/a/a_test.go", Line: 10}}}
	if got := regions(t, h, Input{Stacks: []crash.Stack{stack}}); got != "a/a_test.go:9-11" {
		t.Errorf("by a frame: %q", got)
	}
	over := gitext.Overlay{Path: "tests/num.c", Mode: 0o100644, Content: []byte("static void num_should_add(void)\n{\n    add(1);\n}\n\nstatic void num_should_sub(void)\n{\n    sub(1);\n}\n")}
	if got := regions(t, h, Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{over}}}}); got != "tests/num.c:6-9" {
		t.Errorf("by what is new: %q", got)
	}
	if got := regions(t, h, Input{Problem: fix.Problem{Test: "make && ./build/num"}}); got != "tests/num.c:1-9" {
		t.Errorf("by the command: %q", got)
	}
}

// Places in the helpers of a test do not count when the test is known.
func TestPlacesOfHelpers(t *testing.T) {
	t.Parallel()
	got := regions(t, suite(t), Input{Reproduction: fix.Reproduction{Failing: []string{"TestA"}}, Places: []Place{{"a_test.go", 10}, {"a_test.go", 5}}})
	if got != "a/a_test.go:3-7" {
		t.Error(got)
	}
}

// The lines around a failed assertion, those of the case that fails and those that are
// not committed are in focus.
func TestFocus(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	body := []string{"func TestA(t *testing.T) {"}
	for i := range 60 {
		body = append(body, fmt.Sprintf("\tcheck(t, %d, F%d)", i, i))
	}
	body[30] = "\tt.Run(\"some case\", f)"
	text := "package a\n" + strings.Join(body, "\n") + "\n}\n"
	h.Commit("test", gittest.Files{"a_test.go": text})
	focus := func(in Input) string {
		in.Problem.Tree.Commit = h.Head()
		in.Reproduction.Failing = append(in.Reproduction.Failing, "TestA")
		s, err := examine(t.Context(), h.Open(), in)
		if err != nil || len(s.regions) != 1 {
			t.Fatal(err, len(s.regions))
		}
		var lines []int
		for l := range s.regions[0].focus {
			lines = append(lines, l)
		}
		slices.Sort(lines)
		if len(lines) == 0 {
			return "none"
		}
		return fmt.Sprintf("%d lines from %d to %d", len(lines), lines[0], lines[len(lines)-1])
	}
	if got := focus(Input{}); got != "none" {
		t.Error(got)
	}
	if got := focus(Input{Places: []Place{{"a_test.go", 50}}}); got != "16 lines from 38 to 53" {
		t.Error("place:", got)
	}
	if got := focus(Input{Reproduction: fix.Reproduction{Failing: []string{"TestA/some_case"}}}); got != "2 lines from 31 to 32" {
		t.Error("case:", got)
	}
	over := gitext.Overlay{Path: "a_test.go", Mode: 0o100644, Content: []byte(strings.Replace(text, "\tcheck(t, 40, F40)\n", "\tcheck(t, 41, F40)\n", 1))}
	if got := focus(Input{Problem: fix.Problem{Tree: fix.Tree{Over: []gitext.Overlay{over}}}}); got != "1 lines from 43 to 43" {
		t.Error("new:", got)
	}
}
