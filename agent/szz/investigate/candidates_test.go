package investigate

import (
	"context"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext/gittest"
)

func TestPercent(t *testing.T) {
	// Probabilities are rounded to their precision.
	t.Parallel()
	for p, want := range map[float64]string{0: "under 5%", 0.049: "under 5%", 0.05: "5%", 0.33: "35%", 0.849: "85%", 0.97: "over 85%"} {
		if got := roughPercent(p); got != want {
			t.Errorf("%v: %s, want %s", p, got, want)
		}
	}
}

func TestRemarkNewFunction(t *testing.T) {
	// The prompt marks a function that a candidate adds as new. Lines that it shares by
	// chance with a removed function do not count as moved.
	t.Parallel()
	for _, tt := range []struct {
		elsewhere string // the earlier content of another file
		fresh     bool
	}{
		{"int show_newer;\n", true},
		{"static void show_new(char *s) {}\n", false},
	} {
		if text, tag := remarkOnNew(t, tt.elsewhere); tag != "c1" || strings.Contains(text, "   show_new is new in c1\n") != tt.fresh || strings.Contains(text, "stood before") {
			t.Errorf("%q: culprit %q in\n%s", tt.elsewhere, tag, text)
		}
	}
}

// remarkOnNew returns the first prompt about a fix of a function that the culprit added,
// and the culprit's short name in it.
func remarkOnNew(t *testing.T, elsewhere string) (text, tag string) {
	t.Helper()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"README": "x\n", "r.c": elsewhere})
	const old = "void show_old(char *s)\n{\n\tputchar('\\n');\n\tfree(s);\n}\n\n"
	h.Commit("start the program", gittest.Files{"p.c": szztest.Program, "q.c": old})
	bad := h.Commit("show more", gittest.Files{"q.c": gittest.Gone, "p.c": szztest.Program + strings.Repeat("/* filler */\n", 30) +
		"void show_new(char *s)\n{\n\tint n = strlen(s);\n\tprintf(\"%d\", n);\n\tputchar('\\n');\n\tfree(s);\n}\n"})
	fix := h.Commit("do not free", gittest.Files{"p.c": szztest.Program + strings.Repeat("/* filler */\n", 30) +
		"void show_new(char *s)\n{\n\tint n = strlen(s);\n\tprintf(\"%d\", n);\n\tputchar('\\n');\n}\n"})
	d, err := newInvestigation(context.Background(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err = d.prompt(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return text, d.names.of[bad]
}
