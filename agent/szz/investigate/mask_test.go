package investigate

import (
	"strings"
	"testing"

	"git-agent/agent/szz/szztest"
	"git-agent/gitext/gittest"
)

func TestDetectMasksLines(t *testing.T) {
	// A hash in a comment of the patch is hidden in the first message and in the answers
	// of the tools, by the same label; the list of candidates keeps its hashes.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	bad := h.Commit("raise the limit", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 1000", 1)})
	note := "max = 1000 /* since " + string(bad[:10]) + " */"
	h.Commit("explain it", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", note, 1)})
	fix := h.Commit("keep the limit low\n\nRaised in "+string(bad[:8])+".", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 12", 1)})
	_, s := h.detect(fix, Options{},
		called("git_show", map[string]any{"commit": "HEAD"}), called("git_blame", map[string]any{"path": "p.c"}),
		called("git_grep", map[string]any{"pattern": "max = 1"}), accuse("c1"))
	prompt := s.asked[0].Messages[1].Text
	if !strings.Contains(prompt, "Raised in <commit A>.") || strings.Count(prompt, "/* since <commit A> */") < 2 || !strings.Contains(prompt, string(bad[:12])) {
		t.Errorf("the first message:\n%s", prompt)
	}
	if strings.Contains(prompt, "since "+string(bad[:7])) {
		t.Errorf("a section of the first message is not masked:\n%s", prompt)
	}
	for n := 2; n <= 4; n++ {
		if text := s.last(n); !strings.Contains(text, "/* since <commit A> */") || strings.Contains(text, string(bad[:10])+" */") {
			t.Errorf("answer %d: %s", n, text)
		}
	}
}
