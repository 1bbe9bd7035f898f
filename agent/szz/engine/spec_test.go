package engine

import (
	"encoding/json"
	"testing"

	"git-agent/agent/session"
)

// Interrupted runs are found by the bytes of their spec, so its fields keep their
// order.
func TestSpecKeepsItsForm(t *testing.T) {
	t.Parallel()
	for want, spec := range map[string]Spec{
		`{"fix":"f","parent":"p","model":"m","base_url":"u","prompts":"h","version":"v","sample":0}`: {
			Fix: "f", Parent: "p", RunSpec: session.RunSpec{Model: "m", BaseURL: "u", Prompts: "h", Version: "v"},
		},
		`{"repo":"r","case":"c","fix":"f","parent":"p","patch":"x","paths":["a"],"annotations":true,"model":"m","base_url":"u","settings":"s","prompts":"h","version":"v","sample":2}`: {
			Case: session.Case{Repo: "r", Name: "c"}, Fix: "f", Parent: "p", Patch: "x", Paths: []string{"a"}, Annotations: true,
			RunSpec: session.RunSpec{Model: "m", BaseURL: "u", Settings: "s", Prompts: "h", Version: "v", Sample: 2},
		},
	} {
		if text, err := json.Marshal(spec); string(text) != want || err != nil {
			t.Errorf("%s, %v, want %s", text, err, want)
		}
	}
}
