package engine

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// Tests that were chosen by the name of a changed file count if they fail, and some pass without the change. Otherwise, the whole suite
// runs, and they count only where that cannot be judged: the suite of pypa/build takes ten minutes.
func TestTestsOfTheChangedFile(t *testing.T) {
	t.Parallel()
	const suite, note = "sh all_test.sh", "cannot be judged"
	for _, c := range []struct {
		name, near, all string
		committed       bool
		uses            string
		failing         string // the names
		noted           string
	}{
		{name: "fails since the change", near: planOf2 + sizeTest + exits, all: "sleep 60\n", uses: "near", failing: "counts words"},
		{name: "fails since the last commit", near: planOf2 + sizeTest + exits, all: "sleep 60\n", committed: true, uses: "near", failing: "counts words"},
		{name: "another failure is older", near: planOf2 + toolTest + sizeTest + exits, all: "sleep 60\n", uses: "near", failing: "counts words",
			noted: "tests that fail without the uncommitted changes too are left out: 1 test, such as has the tool"},
		{name: "passes", near: "true\n", all: planOf2 + sizeTest + exits, uses: "all", failing: "counts words"},
		{name: "only older failures", near: planOf2 + toolTest + exits, all: planOf2 + toolTest + sizeTest + exits, uses: "all", failing: "counts words"},
		{name: "only older failures, and a suite that cannot run", near: planOf2 + toolTest + exits, all: "exec no-such-program\n", uses: "near",
			failing: "has the tool", noted: suite + " " + note},
		{name: "cannot run", near: "exec no-such-program\n", all: planOf2 + sizeTest + exits, uses: "all", failing: "counts words"},
		{name: "fails without names since the change", near: checkTest, all: "sleep 60\n", uses: "near"},
	} {
		b := newBench(t, nil)
		h := gittest.New(t)
		tip := h.Commit("size: count the words", gittest.Files{"size.sh": goodScript, "text": "one two\nthree four\n", "near_test.sh": c.near, "all_test.sh": c.all})
		b.question.Problem = fix.Problem{Test: "sh near_test.sh", Suite: suite, Part: true, ByName: true, Others: []fix.Commands{{Test: suite}}}
		b.Effort.Locate = true
		b.question.Problem.Tree = fix.Tree{Commit: tip, Over: []gitext.Overlay{{Path: "size.sh", Mode: 0o100644, Content: []byte(badScript)}}}
		if c.committed {
			b.question.Problem.Tree = fix.Tree{Commit: h.Commit("size: count the first words", gittest.Files{"size.sh": badScript})}
		}
		b.Repo = h.Open()
		ans := b.answer()
		rep := ans.Reproduction
		notes := strings.Join(ans.Notes, "\n")
		if rep.Command != "sh "+c.uses+"_test.sh" || strings.Join(rep.Failing, " ") != c.failing || ans.Declined != "" {
			t.Errorf("%s: %s, %q failing, %q, %q", c.name, rep.Command, rep.Failing, ans.Declined, notes)
		}
		if !strings.Contains(notes, c.noted) {
			t.Errorf("%s: %q", c.name, notes)
		}
	}
}
