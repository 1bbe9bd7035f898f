package culprit

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// The files are those of tenacity, shortened: its test of the jitter calls wait.py and checks the range. The commit that
// wrote the test owns the lines of most frames, and it changes only tests.
func TestCommitsOfTests(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	product := []string{"class wait_exponential_jitter:", "    def __call__(self, retry_state):", "        exp = self.exp_base ** (retry_state.attempt_number - 1)", "        return self.initial * exp"}
	h.Commit("wait: exponential jitter", gittest.Files{"tenacity/wait.py": gittest.Lines(product...), "NEWS": "x\n"})
	product[2] = "        exp = self.exp_base ** (retry_state.attempt_number - 2)"
	h.Commit("wait: avoid an unnecessary exponent", gittest.Files{"tenacity/wait.py": gittest.Lines(product...)})
	test := h.Commit("tests: the range of the jitter", gittest.Files{"tests/test_tenacity.py": gittest.Lines(
		"class TestWaitConditions:", "    def test_wait_exponential_jitter(self):", "        fn = wait_exponential_jitter()",
		"        for _ in range(1000):", "            self._assert_inclusive_range(fn(make_retry_state(1, 0)), 1, 2)",
	)})
	repo := h.Open()
	inTest := crash.Frame{Function: "test_wait_exponential_jitter", File: "tests/test_tenacity.py", Path: "tests/test_tenacity.py", Line: 5}
	inWait := crash.Frame{Function: "__call__", File: "tenacity/wait.py", Path: "tenacity/wait.py", Line: 3}
	for name, frames := range map[string][]crash.Frame{"of the product": {inWait, inTest}, "of tests": {inTest}} {
		report := &crash.Report{
			Problems: []crash.Problem{{Kind: "AssertionError", Message: "0.5 not greater than or equal to 1"}},
			Stacks:   []crash.Stack{{Kind: crash.StackCrash, Test: "TestWaitConditions.test_wait_exponential_jitter", Frames: frames}},
		}
		files := []crash.File{{Path: inTest.Path, Score: 0.7, Probability: 0.7, Frames: []crash.FrameRef{{Stack: 0, Frame: len(frames) - 1}}}}
		if len(frames) > 1 {
			files = append(files, crash.File{Path: inWait.Path, Score: 0.3, Probability: 0.3, Frames: []crash.FrameRef{{Stack: 0, Frame: 0}}})
		}
		found, err := Find(t.Context(), repo, h.Head(), report, files, Options{Max: 5})
		if err != nil || len(found.Suspects) == 0 {
			t.Fatal(name, err, found)
		}
		first, last := found.Suspects[0], found.Suspects[len(found.Suspects)-1]
		if last.Commit.OID != test || last.Probability > testsOnlyChance || !strings.Contains(last.Reason, "it changes only tests") {
			t.Errorf("frames %s: the commit of the test has %v, reason %q; order %q", name, last.Probability, last.Reason, subjects(found.Suspects))
		}
		if all := strings.Contains(strings.Join(found.Notes, "\n"), "all frames of the project are in tests"); all != (len(frames) == 1) {
			t.Errorf("frames %s: notes %q", name, found.Notes)
		}
		if len(frames) > 1 && first.Commit.OID == test {
			t.Errorf("frames %s: first %q", name, first.Commit.Subject())
		}
	}
}
