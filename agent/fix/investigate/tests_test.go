package investigate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/gitext/gittest"
)

// table returns a test of Go with a table of so many cases.
func table(cases int) string {
	var b strings.Builder
	b.WriteString("package p\n\nfunc TestTable(t *testing.T) {\n\tcases := []struct{ name, in, out string }{\n")
	for i := range cases {
		fmt.Fprintf(&b, "\t\t{\n\t\t\tname: \"case of %d\",\n\t\t\tin:   \"some input that is long\",\n\t\t},\n", 100+i)
	}
	b.WriteString("\t}\n\tfor _, c := range cases {\n\t\tt.Run(c.name, func(t *testing.T) {\n\t\t\tcheck(t, c)\n\t\t})\n\t}\n}\n")
	return b.String()
}

func linesOf(text string) [][]byte {
	var out [][]byte
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		out = append(out, []byte(l))
	}
	return out
}

// Of a long table of cases, the failing case is shown with its index, and the code for each
// case, but not the first cases.
func TestFailingRow(t *testing.T) {
	t.Parallel()
	lines := linesOf(table(80))
	for _, sub := range []string{"case_of_165", "#65", "case_of_165#01"} {
		got := (&shownTest{path: "p_test.go", start: 3, end: len(lines), subs: []string{sub}}).text(lines, nil)
		for _, want := range []string{"index 65 (of 80, from 0), lines 265-268", "case of 165", "check(t, c)", "func TestTable"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %q:\n%s", sub, want, got)
			}
		}
		if strings.Contains(got, "case of 120") || len(got) > maxTestChars+400 {
			t.Errorf("%s: %d bytes:\n%s", sub, len(got), got)
		}
	}
}

// Rows are found by the words of their names, and by the numbers that pytest gives to
// parameters, whose table stands above the test.
func TestRowsOfOtherForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, text, name, sub, want string }{
		{"a_test.go", "func TestEqual(t *testing.T) {\n\tcases := []struct{}{\n\t\t{uint32(10), int32(10), true},\n\t\t{int(270), int8(14), false},\n\t\t{int8(14), int(20), false},\n\t}\n}\n",
			"TestEqual", "ObjectsAreEqual(270,_14)", "index 1 (of 3, from 0), line 4"},
		{"a_test.py", "import x\n\n@pytest.mark.parametrize(\n    (\"a\", \"b\"),\n    [\n        (\n            [1],\n            2,\n        ),\n        (\n            [3],\n            4,\n        ),\n    ],\n)\ndef test_a(a, b):\n    assert a == b\n",
			"test_a", "a1-4", "index 1 (of 2, from 0), lines 10-13"},
	} {
		lines := linesOf(c.text)
		start, end := findTest(c.path, lines, c.name)
		start = withDecorators(c.path, lines, start)
		r, ok := rowOf(lines, start, end, c.sub)
		if got := r.text(c.sub); !ok || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v %q from line %d", c.path, ok, got, start)
		}
	}
}

// The place of the failure in a long test is shown, even if no case is named.
func TestPlaceInALongTest(t *testing.T) {
	t.Parallel()
	lines := linesOf("func TestLong(t *testing.T) {\n" + strings.Repeat("\tassert.Equal(t, 1, f(2), \"a long assertion\")\n", 300) + "}\n")
	got := (&shownTest{path: "a/p_test.go", start: 1, end: len(lines)}).text(lines, []testlog.Place{{File: "p_test.go", Line: 250}})
	if !strings.Contains(got, "\n  250  ") || !strings.Contains(got, "\n    1  func") {
		t.Errorf("%s", got)
	}
}

// The file of cases that a failing test reads is shown, at the case that the output
// numbers.
func TestNamedFiles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	var extra strings.Builder
	for i := 1; i <= 60; i++ {
		fmt.Fprintf(&extra, "%d: the name of a case\n//- - - -\n*in %d*\n//- - - -\n<em>out</em>\n\n", i, i)
	}
	h.Commit("p", gittest.Files{
		"_test/extra.txt": extra.String(),
		"p_test.go":       "package p\n\nfunc TestExtra(t *testing.T) {\n\tDoTestCaseFile(\"_test/extra.txt\", t)\n}\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"m/p:TestExtra"}, Output: []byte("--- FAIL: TestExtra\n    p_test.go:4: case 27 failed\n")}
	got, err := w.makeTestsText(t.Context())
	if err != nil || !strings.Contains(got, "## _test/extra.txt, which the test names") || !strings.Contains(got, "*in 27*") || strings.Contains(got, "*in 3*") {
		t.Errorf("%v\n%s", err, got)
	}
}

// The file of settings that pytest names before it begins is no file that a test names.
func TestNamedFilesAreNoSettings(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"setup.cfg": "[tool:pytest]\naddopts = -v\n",
		"test_p.py": "def test_a():\n    assert f(1) == 2\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"test_p.py::test_a"}, Output: []byte("rootdir: w\nconfigfile: setup.cfg\ncollected 1 item\n\ntest_p.py F\n")}
	got, err := w.makeTestsText(t.Context())
	if err != nil || !strings.Contains(got, "test_p.py:1-2") || strings.Contains(got, "setup.cfg") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A file that Maven names while it builds is no file that a test names.
func TestNamedFilesAreNoBuild(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"pom.xml":                    "<project/>\n",
		"src/test/java/p/ATest.java": "package p;\nclass ATest {\n    @Test\n    void testA() {\n        f();\n    }\n}\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"p.ATest.testA"}, Output: []byte("[INFO] Building P 1.0\n[INFO]   from pom.xml\n[ERROR] p.ATest.testA -- Time elapsed: 0.1 s <<< ERROR!\n")}
	got, err := w.makeTestsText(t.Context())
	if err != nil || !strings.Contains(got, "ATest.java:3-6") || strings.Contains(got, "pom.xml") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A manifest that Cargo names while it builds is no file that a test names.
func TestNamedFilesAreNoManifests(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"csv-core/Cargo.toml": "[package]\nname = \"csv-core\"\n",
		"tests/tests.rs":      "#[test]\nfn record_eq() {\n    assert_ne!(a(), b());\n}\n",
	})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"record_eq"}, Output: []byte(
		"warning: csv-core/Cargo.toml: no edition set: defaulting to the 2015 edition while the latest is 2024\n\nrunning 1 test\ntest record_eq ... FAILED\n",
	)}
	got, err := w.makeTestsText(t.Context())
	if err != nil || !strings.Contains(got, "tests/tests.rs:1-4") || strings.Contains(got, "csv-core") {
		t.Errorf("%v\n%s", err, got)
	}
}

// macroTests is a file of quick-xml in which a macro makes the tests.
const macroTests = `// Can't use "string" as name because in that case this variant
mod element {
    list!(char_: char = "<root>4 2  j</root>" => vec!['4', '2', 'j']);
    list!(string: String = "<root>first second  third&#x20;3</root>" => vec![
        "first".to_string(),
        "3".to_string(),
    ]);
}
`

// Of a test that a macro makes, the call of the macro at the place of the failure is shown,
// and not a comment with its name.
func TestMacroTest(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{"tests/serde-de.rs": macroTests})
	w := &work{repo: h.Open(), texts: map[string][][]byte{}}
	w.in.Problem.Tree.Commit = h.Head()
	w.in.Reproduction = fix.Reproduction{Failing: []string{"element::text::string"}, Output: []byte(
		"running 1 test\ntest element::text::string ... FAILED\n\nfailures:\n\n---- element::text::string stdout ----\n" +
			"thread 'element::text::string' (1520) panicked at tests/serde-de.rs:4:13:\nassertion failed: `(left == right)`\n\n" +
			"failures:\n    element::text::string\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 352 filtered out\n",
	)}
	got, err := w.makeTestsText(t.Context())
	if err != nil || !strings.HasPrefix(got, "## tests/serde-de.rs:4-7\n") || !strings.Contains(got, "third&#x20;3") || strings.Contains(got, "Can't use") {
		t.Errorf("%v\n%s", err, got)
	}
}

// A unit test of Rust is found by its modules, in a file of tests and within a source file, and not
// a function or a test of an integration test that has its name.
func TestUnitTestOfRust(t *testing.T) {
	t.Parallel()
	inline := "pub fn test_x() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        inline();\n    }\n}\n"
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"src/lib.rs":            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        root();\n    }\n}\n",
		"src/naive/date/mod.rs": inline, "core/src/offset.rs": inline,
		"src/naive/date/tests.rs": "use super::*;\n\n#[test]\nfn test_x() {\n    in_file();\n}\n",
		"tests/all.rs":            "#[test]\nfn adds() {\n    integration();\n}\n",
	})
	for name, want := range map[string][2]string{
		"naive::date::tests::test_x": {"## src/naive/date/tests.rs:3-6", "in_file"},
		"naive::date::tests::adds":   {"## src/naive/date/mod.rs:7-10", "inline"},
		"offset::tests::adds":        {"## core/src/offset.rs:7-10", "inline"},
		"tests::adds":                {"## src/lib.rs:3-6", "root"},
		"adds":                       {"## tests/all.rs:1-4", "integration"},
	} {
		w := &work{repo: h.Open(), texts: map[string][][]byte{}}
		w.in.Problem.Tree.Commit = h.Head()
		w.in.Reproduction = fix.Reproduction{Failing: []string{name}}
		if got, err := w.makeTestsText(t.Context()); err != nil || !strings.HasPrefix(got, want[0]+"\n") || !strings.Contains(got, want[1]) {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// The sources of tests of jest and vitest are found by their titles, also with signs in them.
func TestFindTestsByTitle(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"test/object.ts": "describe('Object types', () => {\n  it('should pick', () => {})\n\n  it('should pick a/b: with edges', () => {\n    inst.pick(['a1'])\n  })\n})\n",
	})
	for _, name := range []string{"Object types › should pick a/b: with edges", "test/object.ts > Object types > should pick a/b: with edges"} {
		w := &work{repo: h.Open(), texts: map[string][][]byte{}}
		w.in.Problem.Tree.Commit = h.Head()
		w.in.Reproduction = fix.Reproduction{Failing: []string{name}}
		if got, err := w.makeTestsText(t.Context()); err != nil || !strings.Contains(got, "test/object.ts:4-6") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

// A test of Java is found by its class and its method, in the file of the class, also with
// parameters and in a nested class.
func TestJavaTest(t *testing.T) {
	t.Parallel()
	other := "package p;\nclass ATest {\n    @Test\n    void testGroup() {\n        other();\n    }\n}\n"
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"src/test/java/p/ATest.java": other,
		"src/test/java/p/RegexTest.java": "package p;\nclass RegexTest {\n    /** It is consistent. */\n    @Test\n    void testGroup() {\n" +
			"        assertEquals(\"\", validator.validate(\"def\"));\n    }\n}\n",
	})
	for _, name := range []string{"p.RegexTest.testGroup", "p.RegexTest$Inner.testGroup", "RegexTest.testGroup(int)[1]", "p.RegexTest.testGroup{int}[2]"} {
		w := &work{repo: h.Open(), texts: map[string][][]byte{}}
		w.in.Problem.Tree.Commit = h.Head()
		w.in.Reproduction = fix.Reproduction{Failing: []string{name}}
		got, err := w.makeTestsText(t.Context())
		if err != nil || !strings.HasPrefix(got, "## src/test/java/p/RegexTest.java:") || !strings.Contains(got, "validate(\"def\")") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}
