package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

// A test file that lacks a package here forbids no patch of the test that fails.
func TestUnloadedTestsAreLeftOut(t *testing.T) {
	t.Parallel()
	code := func(op string) string {
		return "def larger(a, b):\n    if a " + op + " b:\n        return a\n    return b\n"
	}
	b := newBench(t, nil)
	h := gittest.New(t)
	h.Commit("larger", gittest.Files{
		"size.py": code(">"), "tests/__init__.py": "", "tests/test_other.py": "import no_such_package\n",
		"tests/test_size.py": "import unittest\nfrom size import larger\n\nclass SizeTest(unittest.TestCase):\n" +
			"    def test_larger(self):\n        self.assertEqual(larger(1, 2), 2)\n" +
			"    def test_same(self):\n        self.assertEqual(larger(1, 1), 1)\n",
	})
	tip := h.Commit("compare", gittest.Files{"size.py": code("<")})
	b.Repo = h.Open()
	const command = "python3 -m unittest tests.test_size tests.test_other"
	b.question.Problem = fix.Problem{Tree: fix.Tree{Commit: tip}, Test: command, Others: []fix.Commands{{Test: "true"}}}
	ans := b.answer()
	if len(ans.Plausible) == 0 || strings.Contains(ans.Reproduction.Command, "test_other") {
		t.Errorf("%d plausible by %s, %s, notes %q", len(ans.Plausible), ans.Reproduction.Command, ans.Declined, ans.Notes)
	}
	if !slices.ContainsFunc(ans.Notes, func(n string) bool {
		return strings.HasPrefix(n, "test files that do not load are left out: 1 file, such as test_other: ") &&
			strings.Contains(n, "no_such_package")
	}) {
		t.Errorf("notes %q", ans.Notes)
	}
}

// A module of Maven that needs the one of the failing test, and does not build here, forbids no patch. While the test
// fails, Maven skips it: in gson, the undoing of the bug failed because of test-jpms.
func TestModulesThatDoNotBuildAreLeftOut(t *testing.T) {
	t.Parallel()
	const wrapper = `#!/bin/sh
case " $* " in *" test-compile "*) core=skip ;; esac
if [ "$core" != skip ] && ! grep -q 'a < b' core/src/main/java/p/Size.java; then
	echo '[INFO] Running p.SizeTest'
	echo '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.01 s <<< FAILURE! -- in p.SizeTest'
	echo '[ERROR] p.SizeTest.larger -- Time elapsed: 0.003 s <<< FAILURE!'
	echo '[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0'
	echo '[INFO] Core ............................................... FAILURE [  1.0 s]'
	echo '[INFO] Modules ............................................ SKIPPED'
	echo '[INFO] BUILD FAILURE'
	exit 1
fi
echo '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0'
case " $* " in *" -pl core -am "*) exit 0 ;; esac
echo '[ERROR] COMPILATION ERROR :'
echo '[ERROR] modules/src/test/java/module-info.java:[19,22] module not found: p'
echo '[INFO] BUILD FAILURE'
exit 1
`
	b := newBench(t, nil)
	h := gittest.New(t)
	code := func(op string) string {
		return "package p;\n\nclass Size {\n    static boolean less(int a, int b) {\n        return a " + op + " b;\n    }\n}\n"
	}
	h.Write(gittest.Files{"mvnw": wrapper})
	if err := os.Chmod(filepath.Join(h.Dir, "mvnw"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.Git("-c", "core.fileMode=true", "add", "mvnw")
	h.Commit("size", gittest.Files{
		"pom.xml":                        "<project><modules><module>core</module><module>modules</module></modules></project>\n",
		"core/src/main/java/p/Size.java": code("<"), "core/src/test/java/p/SizeTest.java": "package p;\n\nclass SizeTest {\n    void larger() {\n        Size.less(1, 1);\n    }\n}\n",
	})
	tip := h.Commit("compare", gittest.Files{"core/src/main/java/p/Size.java": code("<=")})
	b.Repo = h.Open()
	b.question.Problem = fix.Problem{Tree: fix.Tree{Commit: tip}, Test: "./mvnw -B -fae test", Others: []fix.Commands{{Test: "true"}}}
	ans := b.answer()
	if len(ans.Plausible) == 0 || ans.Reproduction.Command != "./mvnw -B -fae test -pl core -am" {
		t.Errorf("%d plausible by %s, %s, notes %q", len(ans.Plausible), ans.Reproduction.Command, ans.Declined, ans.Notes)
	}
}
