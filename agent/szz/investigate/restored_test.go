package investigate

import (
	"strings"
	"testing"

	"git-agent/gitext/gittest"
)

func TestPromptSaysWhatTheFixAddsBack(t *testing.T) {
	// A commit that removed the line that the fix adds is recognised by this line. A line
	// of keywords, and one that the commit only moved, do not count.
	t.Parallel()
	h := newHistory(t)
	const program = "int run(int n)\n{\n\tint done = 0;\n\tclear_state(n);\n\tdone = n;\n\treturn done + 1;\n}\n"
	without := strings.Replace(program, "\tclear_state(n);\n", "", 1)
	h.Commit("start", gittest.Files{"p.c": program})
	took := h.Commit("speed things up", gittest.Files{"p.c": without})
	fix := h.Commit("do not see old values", gittest.Files{"p.c": program})
	_, s := h.detect(fix, Options{}, accuse(string(took)))
	prompt := s.asked[0].Messages[1].Text
	line := "   took out what the fix adds: clear_state(n);\n"
	if _, behind, ok := strings.Cut(prompt, string(took[:12])); !ok || strings.Count(prompt, line) != 1 || !strings.Contains(behind, line) {
		t.Errorf("no %q behind %s in\n%s", line, took[:12], prompt)
	}

	h = newHistory(t)
	h.Commit("start", gittest.Files{"p.c": program})
	took = h.Commit("speed things up", gittest.Files{"p.c": without})
	fix = h.Commit("do not see old values", gittest.Files{"p.c": strings.Replace(program, "(n);\n", "(n + 1);\n", 1)})
	if _, s = h.detect(fix, Options{}, accuse(string(took))); !strings.Contains(s.asked[0].Messages[1].Text, "   took out what the fix adds: clear_state(n); (alike)\n") {
		t.Errorf("a line that is like it does not count:\n%s", s.asked[0].Messages[1].Text)
	}

	h = newHistory(t)
	h.Commit("start", gittest.Files{"p.c": program})
	moved := h.Commit("clear late", gittest.Files{"p.c": strings.Replace(without, "\tdone = n;\n", "\tdone = n;\n\tclear_state(n);\n", 1)})
	fix = h.Commit("clear early again", gittest.Files{"p.c": program})
	if _, s = h.detect(fix, Options{}, accuse(string(moved))); strings.Contains(s.asked[0].Messages[1].Text, "took out") {
		t.Errorf("a moved line counts:\n%s", s.asked[0].Messages[1].Text)
	}
}

func TestMentions(t *testing.T) {
	for line, want := range map[string]bool{
		"clear_state(n);":              true,
		"returncode = task.returncode": true,
		"return NULL;":                 false,
		"return false;":                false,
		"@Override":                    false,
		"} else {":                     false,
	} {
		if mentions(line) != want {
			t.Errorf("%q: %v", line, !want)
		}
	}
}
