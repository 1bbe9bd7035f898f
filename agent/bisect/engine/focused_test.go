package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

func TestOnlyTheFailingTests(t *testing.T) {
	// A test that fails in another way at old commits, and newly there, does not keep the failure from being judged: only
	// the tests that fail at the tip run at the others. Where these do not exist, the whole command runs.
	t.Parallel()
	if _, err := sandbox.Program("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	const (
		head  = "import unittest\n\nimport price\n\n\nclass T(unittest.TestCase):\n"
		gross = "    def test_gross(self):\n        self.assertEqual(price.gross(1), 2)\n"
		other = "    def test_other(self):\n        self.assertEqual(price.other(), 1)\n"
		good  = "def gross(n):\n    return n + 1\n\ndef other():\n    return "
		bad   = "def gross(n):\n    return n\n\ndef other():\n    return "
	)
	h := gittest.New(t)
	h.Commit("add", gittest.Files{"price.py": good + "1\n", "test_price.py": head + gross + other})
	h.Commit("break the other", gittest.Files{"price.py": good + "2\n", "test_price.py": head + gross + other + other})
	culprit := h.Commit("simplify", gittest.Files{"price.py": bad + "2\n"})
	h.Commit("mend the other", gittest.Files{"price.py": bad + "1\n", "test_price.py": head + gross + other})
	h.Commit("more", gittest.Files{"README": "more\n"})
	const command, only = "python3 -m unittest -v test_price", "python3 -m unittest -v test_price.T.test_gross"
	got := answer(t, h, Question{Test: command})
	if got.Status != bisect.Proved || got.First != culprit || got.Focused != only || !got.GitAgrees() || got.Runs[1].Commit != h.Head() {
		t.Errorf("%s at %s with %q: %+v", got.Status, got.First, got.Focused, got.Runs)
	}
	for most := 1; most <= 3; most++ { // the second run at the tip counts
		e := &Engine{Repo: h.Open(), MaxRuns: most, Trial: trial.Options{Sandbox: sandbox.None, Scratch: filepath.Join(t.TempDir(), "scratch")}}
		got, err := e.Answer(t.Context(), Question{Question: bisect.Question{Tip: h.Head()}, Test: command}, Memory{}, nil)
		if err != nil || len(got.Runs) != most || !slices.Contains(got.Notes, fmt.Sprintf("the search stopped after %s, the most that were allowed", agent.Plural(most, "run"))) {
			t.Errorf("%d runs at most: %+v, %q, %v", most, got.Runs, got.Notes, err)
		}
	}

	h = gittest.New(t)
	h.Commit("add", gittest.Files{"price.py": bad + "1\n", "test_price.py": head + gross + other})
	says := func(note string) bool { return strings.HasPrefix(note, "only the tests that fail") }
	if got = answer(t, h, Question{Test: command}); got.Status != bisect.Always || len(got.Runs) > 3 || slices.ContainsFunc(got.Notes, says) {
		t.Errorf("of one commit: %s, %+v, %q", got.Status, got.Runs, got.Notes)
	}

	h = gittest.New(t)
	h.Commit("add", gittest.Files{"price.py": good + "1\n", "test_price.py": head + other})
	brings := h.Commit("break it, and test it", gittest.Files{"price.py": bad + "1\n", "test_price.py": head + gross + other})
	h.Commit("more", gittest.Files{"README": "more\n"})
	if got = answer(t, h, Question{Test: command}); got.Status != bisect.Proved || got.First != brings || got.Focused != only {
		t.Errorf("%s at %s with %q: %+v", got.Status, got.First, got.Focused, got.Runs)
	}
}
