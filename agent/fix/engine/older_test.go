package engine

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// These are the parts of a test: one fails because of the machine, and one because of the bug.
const (
	planOf2  = "echo 1..2; no=0\n"
	toolTest = "test -e /no/such/tool && echo 'ok 1 - has the tool' || { echo 'not ok 1 - has the tool'; no=1; }\n"
	sizeTest = "test \"$(sh size.sh)\" -eq 4 && echo 'ok 2 - counts words' || { echo 'not ok 2 - counts words'; no=1; }\n"
	exits    = "exit $no\n"
)

// A test that fails without the uncommitted tests too forbids no patch. It counts if the program has
// uncommitted changes as well, and if no other test fails.
func TestOlderFailures(t *testing.T) {
	t.Parallel()
	before, after := planOf2+toolTest+exits, planOf2+toolTest+sizeTest+exits
	for _, c := range []struct {
		name     string
		over     []gitext.Overlay
		tests    string // the committed ones
		failing  []string
		commit   string // a test that is committed last
		repaired bool
	}{
		{"new test", []gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte(after)}}, before, []string{"counts words"}, "", true},
		{"committed new test", nil, before, []string{"counts words"}, after, true},
		{"no new test", nil, after, []string{"has the tool", "counts words"}, "", false},
		{
			"new test and new code",
			[]gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte(after)}, {Path: "b.sh", Mode: 0o100644, Content: []byte("true\n")}},
			before, []string{"has the tool", "counts words"}, "", false,
		},
	} {
		b := newBench(t, nil)
		h := gittest.New(t)
		h.Commit("size: count the words", gittest.Files{"size.sh": goodScript, "text": "one two\nthree four\n", "check_test.sh": c.tests})
		tip := h.Commit("size: count the first words", gittest.Files{"size.sh": badScript})
		if c.commit != "" {
			tip = h.Commit("test: count words", gittest.Files{"check_test.sh": c.commit})
		}
		b.Repo = h.Open()
		var err error
		if b.question.Problem.Tree, err = testcmd.WithNewTests(t.Context(), b.Repo, fix.Tree{Commit: tip, Over: c.over}); err != nil {
			t.Fatal(err)
		}
		ans := b.answer()
		if !slices.Equal(ans.Reproduction.Failing, c.failing) || len(ans.Plausible) > 0 != c.repaired {
			t.Errorf("%s: %q, %d plausible, %s", c.name, ans.Reproduction.Failing, len(ans.Plausible), ans.Declined)
		}
		if noted := strings.Contains(strings.Join(ans.Notes, "\n"), "are left out: 1 test, such as has the tool"); noted != c.repaired {
			t.Errorf("%s: %q", c.name, ans.Notes)
		}
	}
}

// Where nothing fails, the answer says what is known of the tests with uncommitted changes.
func TestNewTestsThatFindNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part bool
		want string
	}{
		{true, "sh check_test.sh passes, which runs the new tests"},
		{false, "the command may leave out check_test.sh, which has uncommitted changes: see whether it runs"},
	} {
		b := newBench(t, nil)
		b.question.Problem.Tree.Over = []gitext.Overlay{{Path: "check_test.sh", Mode: 0o100644, Content: []byte("true\n")}}
		b.question.Problem.Part = c.part
		b.question.Problem.Others = []fix.Commands{{Test: "true"}}
		if ans := b.answer(); !slices.Contains(ans.Notes, c.want) || ans.Declined == "" {
			t.Errorf("%v: %q, %s", c.part, ans.Notes, ans.Declined)
		}
	}
}
