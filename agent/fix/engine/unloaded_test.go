package engine

import (
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
