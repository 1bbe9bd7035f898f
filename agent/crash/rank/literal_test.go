package rank

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/gitext/gittest"
)

// The reports are those of beets, bed89df69, of helm/helm 10466, whose text has two numbers, and of
// JUnit as in junit-team/junit4 163, with another text.
func TestTextsOfAFailedTest(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"beets/ui/commands.py":  "def show_version(lib, opts, args):\n    if names:\n        print_('plugins:', ', '.join(names))\n    else:\n        print_(u'no plugins loaded')\n",
		"beets/plugins.py":      "# no plugins loaded\ndef load_plugins(names=()):\n    pass\n",
		"README.rst":            "It prints \"no plugins loaded\" then.\n",
		"test/test_ui.py":       "class CommonOptionsParserCliTest:\n    def test_version(self):\n        self.assertIn(u'no plugins loaded', l)\n",
		"cmd/helm/lint.go":      "package main\n\nfunc run() {\n\tsummary := fmt.Sprintf(\"%d chart(s) linted, %d chart(s) failed\", len(paths), failed)\n\treturn \"expected error\"\n}\n",
		"cmd/helm/helm_test.go": "package main\n",
		"cmd/helm/package.go":   "package main\n\nconst help = \"chart(s) to package\"\n",
		"a.py":                  "X = 'the same text twice'\n", "b.py": "X = 'the same text twice'\n",
		"src/main/java/Outcome.java":     "class Outcome {\n    String toString() { return \"the outcome of \" + id + \" is known\"; }\n}\n",
		"src/test/java/SessionTest.java": "class SessionTest {\n    void test1() { assertEquals(\"the outcome of 1 is unknown\", s); }\n}\n",
		"src/main/java/Other.java":       "class Other {\n}\n",
	})
	pytest := "________ CommonOptionsParserCliTest.test_version _________\n\nself = <test.test_ui.CommonOptionsParserCliTest testMethod=test_version>\n\n" +
		"    def test_version(self):\n>       self.assertIn(u'no plugins loaded', l)\nE       AssertionError: %s\n\ntest/test_ui.py:3: AssertionError\n"
	for text, want := range map[string]string{
		strings.Replace(pytest, "%s", `'no plugins loaded' not found in 'beets version 1.4.8\nPython version 3.7.3rc1\nplugins: test\n'`, 1): "beets/ui/commands.py: " +
			`the only file with "no plugins loaded", which the failed test quotes`,
		"--- FAIL: TestLintCmdWithSubchartsFlag/lint_good_chart_with_bad_subcharts (0.07s)\n" +
			"    helm_test.go:64: expected error, got '1 chart(s) linted, 1 chart(s) failed'\nFAIL\n": "cmd/helm/lint.go: " +
			`the only file with "%d chart(s) linted, %d chart(s) failed", which the failed test quotes`,
		strings.Replace(pytest, "%s", `'the same text twice' != 'no such text at all'`, 1): "",
		strings.Replace(pytest, "%s", `'no plugins' != 'plugins: test'`, 1):                "",
		"org.junit.ComparisonFailure: expected:<the outcome of 1 is [un]known> but was:<the outcome of 1 is []known>\n\tat org.junit.Assert.assertEquals(Assert.java:115)\n" +
			"\tat SessionTest.test1(SessionTest.java:2)\n": "src/main/java/Outcome.java: " + `the only file with "the outcome of ", which the failed test quotes`,
		"org.junit.ComparisonFailure: expected:<the outcome of 1 is [un]known> but was:<the outcome of 1 is []known>\n\tat Other.run(Other.java:1)\n" +
			"\tat SessionTest.test1(SessionTest.java:2)\n": "", // a frame is in the project
	} {
		report, err := format.Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := locate.Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
			t.Fatal(err)
		}
		answer, err := Rank(t.Context(), h.Open(), h.Head(), report, Ours)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range answer.Files {
			if f.Related && strings.Contains(strings.Join(f.Reasons, ""), "the failed test quotes") {
				got += f.Path + ": " + strings.Join(f.Reasons, "; ")
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q; %v", text, got, want, pathsOf(answer.Files))
		}
	}
}

func TestQuotedTexts(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		`assert 'http://local...ata/hello.txt' == 'http://local...ata/sello.txt'`: {"http://local", "ata/hello.txt", "ata/sello.txt"},
		`'it\'s no plugin' != "a \"quoted\" text"`:                                {"it's no plugin", `a "quoted" text`},
		`'usage: prog\n  one option less\n' != ''`:                                {"one option less"},
		`null expected:<the string [exp]> but was:<the string [act]>`:             {"the string exp", "the string act"},
		`got "unknown flag: --x" want "unknown shorthand flag"`:                   {"unknown flag: --x", "unknown shorthand flag"},
		`expected: <the flow execution outcome> but was: <another>`:               {"the flow execution outcome"},
		`'NoneType' object has no attribute 'get'`:                                nil,
	} {
		if got := quotedTexts(&crash.Report{Problems: []crash.Problem{{Message: message}}}); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}
