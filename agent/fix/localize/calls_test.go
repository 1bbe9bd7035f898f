package localize

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// program writes functions of the given names, each of which calls those after a
// colon: "a: b c".
func program(list ...string) string {
	var b strings.Builder
	b.WriteString("package p\n")
	for _, f := range list {
		name, calls, _ := strings.Cut(f, ":")
		fmt.Fprintf(&b, "\nfunc %s() {\n\tx := 1\n", name)
		for _, c := range strings.Fields(calls) {
			fmt.Fprintf(&b, "\t%s()\n", c)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// A test of Go calls no function of another package that is not exported: in minify, TestJS names the package minify,
// and the function minify of a program came before the code of its own package.
func TestUnexportedFunctionsOfGo(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("m", gittest.Files{
		"minify.go":          "package minify\n\nfunc New() {\n\tx := 1\n}\n",
		"cmd/minify/main.go": program("minify:", "main: minify"),
		"js/js.go":           program("minifyExpr:"),
		"js/js_test.go":      "package js\n\nfunc TestJS(t *testing.T) {\n\tm := minify.New()\n\tminifyExpr(m)\n}\n",
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"TestJS"}}})
	if got := names(l); !strings.HasPrefix(got, "minifyExpr ") {
		t.Errorf("order: %s", got)
	}
	for _, at := range l.Locations {
		called := slices.ContainsFunc(at.Grounds, func(g fix.Ground) bool { return strings.HasPrefix(g.Text, "the failing test calls it") })
		if called != (at.Function == "minifyExpr" || at.Function == "New") {
			t.Errorf("%s of %s: %v", at.Function, at.Path, at.Grounds)
		}
	}
}

// Functions that only the failing test calls come before functions that all tests call, and
// direct calls come before indirect ones. No test has to run.
func TestCalls(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tests := []string{"TestFails: Setup Parse"}
	for i := range 8 {
		tests = append(tests, fmt.Sprintf("TestOther%d: Setup Print", i))
	}
	h.Commit("p", gittest.Files{
		"p.go":      program("Setup: Open", "Open:", "Parse: Scan", "Scan: Next", "Next:", "Print: Open", "Unused: Scan"),
		"p_test.go": program(tests...),
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"TestFails"}}})
	got := names(l)
	if !strings.HasPrefix(got, "Parse Scan ") || strings.Index(got, "Next") > strings.Index(got, "Print") {
		t.Errorf("order: %s", got)
	}
	for name, want := range map[string]string{
		"Parse": "the failing test calls it", "Scan": "the failing test calls it through Parse", "Next": "the failing test calls it through Parse, Scan",
	} {
		i := slices.IndexFunc(l.Locations, func(at fix.Location) bool { return at.Function == name })
		if i < 0 || !slices.Contains(l.Locations[i].Grounds, fix.Ground{Source: fix.SourceReport, Text: want}) {
			t.Errorf("%s lacks %q: %+v", name, want, l.Locations)
		}
	}
}

// Without a test, the functions that the report names and those that they call are
// suspected.
func TestReportNamesFunctions(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{"p.go": program("ReadAll: fill", "fill:", "Print:", "Close:", "open:")})
	l := localize(t, h, Input{Problem: fix.Problem{Report: "The program can't open some files.\nSince then ReadAll() isn't fast."}})
	if got := names(l); !strings.HasPrefix(got, "ReadAll") || strings.Contains(got, "Print") {
		t.Errorf("order: %s", got)
	}
}

// A name means the function of the test's own Cargo package before those of others: bindings for
// other languages have the names of what they bind (minijinja before a4205ddb).
func TestMeaningsInACrate(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"core/Cargo.toml": "[package]\nname = \"core\"\n", "py/Cargo.toml": "[package]\nname = \"py\"\n",
		"core/src/env.rs":      "pub fn set_escape() -> u8 {\n    1\n}\n",
		"py/src/env.rs":        "pub fn set_escape() -> u8 {\n    2\n}\n",
		"core/tests/escape.rs": "#[test]\nfn test_escape() {\n    let env = 1;\n    assert_eq!(env.set_escape(), 2);\n}\n",
	})
	for _, at := range localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"test_escape"}}}).Locations {
		called := slices.ContainsFunc(at.Grounds, func(g fix.Ground) bool { return strings.HasPrefix(g.Text, "the failing test calls it") })
		if want := at.Path == "core/src/env.rs"; called != want {
			t.Errorf("%s: %+v", at.Path, at.Grounds)
		}
	}
}

// A name means the function of its own folder before those of others.
func TestMeanings(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"b/b.go": program("Parse: Inner", "Inner:"), "b/b_test.go": program("TestParse: Parse"),
		"a/a.go": program("Parse: Other", "Other:"),
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"TestParse"}}})
	if got := l.Locations[0].Path; got != "b/b.go" {
		t.Errorf("%s first", got)
	}
}

// A method that a test of Java calls is that of the class that the test is named after, also if
// the variable has the name of another class or of a folder, and that of another class if the
// test names it.
func TestMeaningsOfJava(t *testing.T) {
	t.Parallel()
	class := func(name string) string {
		return "class " + name + " {\n    String validate(String value) {\n        int count = 1;\n        return value;\n    }\n}\n"
	}
	test := func(call string) string {
		return "class RegexTest {\n    @Test\n    void testGroup() {\n        Regex validator = new Regex();\n        assertEquals(1, " + call + ");\n    }\n}\n"
	}
	const dir = "src/main/java/validator/"
	for call, want := range map[string]string{"validator.validate(1)": "Regex.java", "Url.validate(1)": "Url.java"} {
		h := gittest.New(t)
		h.Commit("p", gittest.Files{
			dir + "Form.java": class("Form"), dir + "Validator.java": class("Validator"), dir + "routines/Regex.java": class("Regex"),
			dir + "routines/Url.java": class("Url"), "src/test/java/validator/routines/RegexTest.java": test(call),
		})
		l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"validator.routines.RegexTest.testGroup"}}})
		if got := l.Locations[0]; !strings.HasSuffix(got.Path, want) || got.Function != "validate" {
			t.Errorf("%s: %s %s first", call, got.Path, got.Function)
		}
	}
}

// The one function that a script exports is called by the name of its file, and a
// constructor by the name of its class.
func TestAliases(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"lib/parse.js": "module.exports = function (text) {\n    var n = 1;\n    return n;\n};\n", "lib/other.js": "exports.other = function (text) {\n    var n = 1;\n    return n;\n};\n",
		"test/parse.js": "test('is fast', function () {\n    parse('');\n});\n",
		"shape.py":      "class Round:\n    def __init__(self):\n        self.n = 1\n\nclass Square:\n    def __init__(self):\n        self.n = 1\n",
		"test_shape.py": "def test_square():\n    Square()\n",
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"is fast"}}})
	if l.Locations[0].Path != "lib/parse.js" {
		t.Errorf("%+v", l.Locations[0])
	}
	l = localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"test_square"}}})
	if l.Locations[0].Path != "shape.py" || l.Locations[0].Lines.Start != 6 {
		t.Errorf("%+v", l.Locations[0])
	}
}

// The name of a method of Java means no static method of a class that the code does not name, and
// no private one of another class: a Matcher has a method matches, too (commons-text before
// cc45196d).
func TestBindingsOfJava(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("p", gittest.Files{
		"src/main/java/p/WordUtils.java": `package p;
public class WordUtils {
    public static boolean containsAllWords(final CharSequence word, final CharSequence w) {
        Names.plain(w);
        check(w);
        return Pattern.compile(".*" + w).matcher(word).matches();
    }
}
`,
		"src/main/java/p/similarity/Similarity.java": `package p.similarity;
public class Similarity {
    protected static int[] matches(final CharSequence first, final CharSequence second) {
        return scan(first);
    }
    private int check(final CharSequence first) {
        return 1;
    }
}
`,
		"src/main/java/p/Names.java":         "package p;\nclass Names {\n    static void plain(final CharSequence w) {\n        w.length();\n    }\n}\n",
		"src/test/java/p/WordUtilsTest.java": "package p;\nclass WordUtilsTest {\n    @Test\n    void testWords() {\n        assertFalse(WordUtils.containsAllWords(\"ab\", \"[\"));\n    }\n}\n",
	})
	l := localize(t, h, Input{Reproduction: fix.Reproduction{Failing: []string{"p.WordUtilsTest.testWords"}}})
	for _, at := range l.Locations {
		called := slices.ContainsFunc(at.Grounds, func(g fix.Ground) bool { return strings.HasPrefix(g.Text, "the failing test calls it") })
		if want := at.Function == "containsAllWords" || at.Function == "plain"; called != want {
			t.Errorf("%s: %+v", at.Function, at.Grounds)
		}
	}
	if got := names(l); !strings.HasPrefix(got, "containsAllWords plain") {
		t.Errorf("order: %s", got)
	}
}
