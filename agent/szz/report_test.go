package szz

import (
	"strings"
	"testing"
)

func TestBasisDiffers(t *testing.T) {
	// Each differing part of the basis is named.
	t.Parallel()
	b := Basis{Model: "m", Prompts: "p", Ranker: "r", Runs: 1}
	if s := b.Differs(b); s != "" {
		t.Errorf("equal: %q", s)
	}
	for want, other := range map[string]Basis{
		"the model m, and n is asked": {Model: "n", Prompts: "p", Ranker: "r", Runs: 1, Method: ""},
		"what the model is told":      {Model: "m", Prompts: "q", Ranker: "r", Runs: 1, Method: ""},
		"the ranking has changed":     {Model: "m", Prompts: "p", Ranker: "s", Runs: 1, Method: ""},
		"for 1 run, and there are 3":  {Model: "m", Prompts: "p", Ranker: "r", Runs: 3, Method: ""},
		"the method with effort=high": {Model: "m", Prompts: "p", Ranker: "r", Runs: 1, Method: "effort=high"},
	} {
		if s := b.Differs(other); !strings.Contains(s, want) || strings.Contains(s, ";") {
			t.Errorf("%+v: %q, want %q", other, s, want)
		}
	}
}
