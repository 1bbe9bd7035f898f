package engine

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// program returns a file of the tree that prints a text and fails.
func program(name, says string) gitext.Overlay {
	return gitext.Overlay{Path: name, Mode: 0o100755, Content: []byte("#!/bin/sh\ncat <<'END'\n" + says + "\nEND\nexit 1\n")}
}

// A test tool that names no test that failed is not judged by its exit code, unless the user wants it. Other programs are.
func TestNameless(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, says string
		abstain    bool
		want       string // the beginning of the reason for declining, "" if candidates are tried
	}{
		{"pytest", "1 problem\nnpm error code 1", true, "the test cannot be judged: it fails (exit 1), and no test is named in the output; it ends with: 1 problem ("},
		{"pytest", "1 problem", false, ""},
		{"pytest", "FAILED check_test.py::test_size - 1 problem\n1 failed in 1.00s", true, ""},
		{"check", "1 problem", true, ""},
	} {
		b := newBench(t, nil)
		b.Effort.Abstain = c.abstain
		b.question.Problem.Tree.Over = []gitext.Overlay{program(c.name, c.says)}
		b.question.Problem.Test = "./" + c.name
		if ans := b.answer(); !strings.HasPrefix(ans.Declined, c.want) || (c.want == "") != (ans.Declined == "") || (c.want == "") != (ans.Tried > 0) {
			t.Errorf("%s, %q: %q after %d candidates", c.name, c.says, ans.Declined, ans.Tried)
		}
	}
}

// A guessed script of package.json that names no test does not speak for a test that lacks something.
func TestNamelessGuess(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	b.question.Problem.Tree.Over = []gitext.Overlay{program("pytest", "ModuleNotFoundError: No module named 'requests'"), program("npm", "1 problem")}
	b.question.Problem.Test, b.question.Problem.Others = "./pytest", []fix.Commands{{Test: "./npm test"}}
	if ans := b.answer(); ans.Reproduction.Command != "./pytest" || !strings.Contains(ans.Declined, "requests") || ans.Tried != 0 {
		t.Errorf("%+v %q after %d candidates", ans.Reproduction, ans.Declined, ans.Tried)
	}
}
