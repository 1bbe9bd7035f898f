package rank

import (
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

// A commit that took out what the fix brings back owns no line, and its reason says what it did: in pydantic, "Drop support for
// Python 3.9" led for 05bc5da8 as one that "changed a file that the fix changes".
func TestReasonOfWhatWasTakenOut(t *testing.T) {
	t.Parallel()
	h := newHistory(t)
	text := lines("call", 400)
	h.Commit("start", gittest.Files{"p.c": text, "q.c": text})
	without := strings.Replace(text, "call_300(value);\ncall_301(value);\n", "", 1)
	bad := h.Commit("remove what seems unused", gittest.Files{"p.c": without})
	other := h.Commit("shorten another file", gittest.Files{"q.c": without, "p.c": strings.Replace(without, "call_5(value)", "five(value)", 1)})
	k, ranked := h.assess(h.Commit("call it again", gittest.Files{"p.c": text}))
	s := k.Suspect(of(t, ranked, bad))
	if s.Reason != "took out lines that the fix adds" {
		t.Errorf("reason %q", s.Reason)
	}
	e := s.Evidence[0]
	if e.Path != "p.c" || e.Text != "took out: call_300(value);" {
		t.Errorf("evidence %+v", e)
	}
	if shown := h.Git(strings.Fields(e.Command)[1:]...); !strings.Contains(shown, "-call_300(value);") {
		t.Errorf("%s shows\n%s", e.Command, shown)
	}
	if k.tookOut(of(t, ranked, other).Candidate) {
		t.Error("what was taken out of another file is what the fix adds")
	}
}
