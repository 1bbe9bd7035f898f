package szz

import (
	"strings"
	"testing"
)

func TestBasisDiffers(t *testing.T) {
	// Each part of the basis that is another is named.
	t.Parallel()
	b := Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 1}
	if s := b.Differs(b); s != "" {
		t.Errorf("equal: %q", s)
	}
	for want, other := range map[string]Basis{
		"the model m, and n is asked": {"n", "p", "r", 1, ""},
		"what the model is told":      {"m", "q", "r", 1, ""},
		"the ranking has changed":     {"m", "p", "s", 1, ""},
		"for 1 run, and there are 3":  {"m", "p", "r", 3, ""},
		"the method with effort=high": {"m", "p", "r", 1, "effort=high"},
	} {
		if s := b.Differs(other); !strings.Contains(s, want) || strings.Contains(s, ";") {
			t.Errorf("%+v: %q, want %q", other, s, want)
		}
	}
}
