package testcmd

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// manyTests are more tests than are run before the suite, whose names begin like a file's.
const manyTests = "tests/help.a.test.js tests/help.b.test.js tests/help.c.test.js tests/help.d.test.js tests/help.e.test.js " +
	"tests/help.f.test.js tests/help.g.test.js tests/help.h.test.js"

func TestTestsAreNamedLikeTheirCode(t *testing.T) {
	// Each language's usual name of the tests of a file is recognized. Of several files with it, those in the same directories count.
	t.Parallel()
	for _, c := range []struct{ code, tests, not string }{
		{"src/build/env.py", "tests/test_env.py", "tests/test_environment.py tests/env.py.txt"},
		{"src/build/__main__.py", "tests/test_main.py", "tests/test_init.py"},
		{"pkg/_private.py", "test/private_test.py", ""},
		{"a/core/__init__.py", "a/tests/test_core.py", ""},
		{"a/core/utils.py", "tests/core/test_utils.py", "tests/web/test_utils.py"},
		{"src/index.ts", "test/src.spec.ts", "test/index.css"},
		{"lib/parseQuery.js", "test/parse-query.test.js", "test/parse.test.js"},
		{"lib/router.js", "test/router.js", "lib/route.test.js lib/router.css"},
		{"src/Button.vue", "src/Button.spec.js", ""},
		{"core/src/main/java/x/Tax.java", "core/src/test/java/x/TaxTest.java core/src/test/java/x/TestTax.java core/src/test/java/x/TaxIT.java",
			"web/src/test/java/x/TaxTest.java core/src/test/java/x/TaxesTest.java"},
		{"a/b.go", "a/b_test.go", "a/other_test.go a/c/b_test.go"},
		{"lib/a/tax.rb", "spec/a/tax_spec.rb", "spec/b/tax_spec.rb"},
		{"src/Tax.php", "tests/TaxTest.php", "tests/tax.js"},
		{"lib/tax.ex", "test/tax_test.exs", ""},
		{"src/tax.rs", "tests/tax.rs", ""},
		{"lib/command.js", "tests/command.exitOverride.test.js", "tests/commander.storage.test.js tests/command.helper.js lib/help.js tests/help.style.test.js"},
		{"src/main/java/x/XML.java", "src/test/java/x/XMLTest.java src/test/java/x/XMLConfigurationTest.java",
			"src/main/java/x/XMLTokener.java src/test/java/x/XMLTokenerTest.java src/test/java/x/XMLTokenerStateTest.java src/test/java/x/XMLSTest.java"},
		{"tax/api.py", "tests/test_api_errors.py", "tax/api_jwt.py tests/test_api_jwt.py"},
		{"lib/help.js", "tests/help.test.js", manyTests},
		{"lib/io.js", "tests/io.test.js", "tests/io.streams.test.js"},
	} {
		l := &layout{in: map[string]map[string]bool{}, counts: map[string]int{}}
		for _, p := range strings.Fields(c.tests + " " + c.not + " " + c.code) {
			l.add(p)
		}
		want := strings.Fields(c.tests)
		slices.Sort(want)
		if got := l.testsOf([]string{c.code}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.code, got, want)
		}
	}
}

func TestOfManyTestsThoseOfTheChangedFunctionAreChosen(t *testing.T) {
	// Commander has 45 tests whose names begin with that of command.js: those count whose further words the change or its function has.
	t.Parallel()
	code := func(value string) string {
		return "export class Help {\n  bee() {\n    return 1;\n  }\n\n  styleTitle() {\n    const width = " + value + ";\n    return width;\n  }\n}\n"
	}
	h := gittest.New(t)
	files := gittest.Files{"package.json": `{"scripts":{"test":"node --test"}}`, "lib/help.js": code("1")}
	for _, p := range strings.Fields(manyTests + " tests/help.styleTitle.test.js tests/help.style.test.js tests/help.bee.test.js") {
		files[p] = "test\n"
	}
	first := h.Commit("code", files)
	changed := gitext.Overlay{Path: "lib/help.js", Mode: 0o100644, Content: []byte(code("2"))}
	last := h.Commit("change", gittest.Files{"lib/help.js": code("2")})
	for _, tree := range []fix.Tree{{Commit: first, Over: []gitext.Overlay{changed}}, {Commit: last}} {
		repo := h.Open()
		names, err := ChangedCode(t.Context(), repo, tree)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Propose(t.Context(), repo, tree, "", names...)
		if err != nil || len(list) == 0 || !list[0].ByName || !strings.HasSuffix(list[0].Test, " tests/help.style.test.js tests/help.styleTitle.test.js") ||
			strings.Contains(list[0].Test, "bee") {
			t.Errorf("%+v, %v", list, err)
		}
	}
}

func TestProposeBeginsWithTheTestsOfChangedFiles(t *testing.T) {
	// Without new tests, those that are named like changed files come first, and the suite next. Of Maven's modules, all are built.
	t.Parallel()
	h := gittest.New(t)
	files := gittest.Files{"pyproject.toml": "[tool.pytest.ini_options]\n", "src/build/env.py": "1\n", "src/build/api.py": "1\n", "tests/test_env.py": "def test_a(): pass\n",
		"tests/test_api.py": "def test_a(): pass\n"}
	for n := range maxChangedCode + 1 {
		files["src/more/m"+strings.Repeat("x", n)+".py"] = "1\n"
	}
	first := h.Commit("code", files)
	expect := func(tree fix.Tree, want ...string) {
		t.Helper()
		repo := h.Open()
		code, err := ChangedCode(t.Context(), repo, tree)
		if err != nil {
			t.Fatal(err)
		}
		list, err := Propose(t.Context(), repo, tree, "", code...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range list {
			if p.ByName {
				got = append(got, p.Test)
			}
		}
		if len(list) == len(got) || !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	changed := gitext.Overlay{Path: "src/build/env.py", Mode: 0o100644, Content: []byte("2\n")}
	expect(fix.Tree{Commit: first}) // of many files
	expect(fix.Tree{Commit: first, Over: []gitext.Overlay{changed}}, "PYTHONPATH=src python3 -m pytest -q tests/test_env.py")
	last := h.Commit("change", gittest.Files{"src/build/api.py": "2\n", "README.md": "text\n"})
	expect(fix.Tree{Commit: last}, "PYTHONPATH=src python3 -m pytest -q tests/test_api.py")
	expect(fix.Tree{Commit: last, Over: []gitext.Overlay{{Path: "NEWS.md", Mode: 0o100644}}}, "PYTHONPATH=src python3 -m pytest -q tests/test_api.py")
	expect(fix.Tree{Commit: last, Over: []gitext.Overlay{changed}}, "PYTHONPATH=src python3 -m pytest -q tests/test_env.py")
	expect(fix.Tree{Commit: last, Over: []gitext.Overlay{{Path: "setup.cfg", Mode: 0o100644}}})
	test := gitext.Overlay{Path: "tests/test_api.py", Mode: 0o100644, Content: []byte("def test_b(): pass\n")}
	expect(fix.Tree{Commit: last, Over: []gitext.Overlay{changed, test}})

	h = gittest.New(t)
	h.Commit("code", gittest.Files{"pom.xml": "<modules><module>core</module></modules>\n", "core/pom.xml": "<project/>\n", "core/src/test/java/x/TaxTest.java": "class TaxTest {}\n"})
	last = h.Commit("change", gittest.Files{"core/src/main/java/x/Tax.java": "class Tax {}\n"})
	expect(fix.Tree{Commit: last}, "mvn -B -o -fae test -pl core -am -Dtest=TaxTest"+selectsNone)
	h = gittest.New(t)
	h.Commit("code", gittest.Files{"build.gradle": "\n", "src/test/java/x/TaxTest.java": "class TaxTest {}\n"})
	last = h.Commit("change", gittest.Files{"src/main/java/x/Tax.java": "class Tax {}\n"})
	expect(fix.Tree{Commit: last}, "gradle --offline --continue test --tests '*TaxTest'")
}
