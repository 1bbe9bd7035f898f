package session

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/prompts"
)

// Each room of prompts is sent by one verb, by all, or to other agents: a new room must
// be counted somewhere.
func TestEachTextIsCounted(t *testing.T) {
	all, err := prompts.All()
	if err != nil {
		t.Fatal(err)
	}
	known := append([]string{"szz", "crash", "fix", "mcp"}, sharedTexts...)
	for _, p := range all {
		if room, _, _ := strings.Cut(p.Name, "/"); !slices.Contains(known, room) {
			t.Errorf("no verb counts %s", p.Name)
		}
	}
}

func TestTextsHash(t *testing.T) {
	seen := map[string]string{}
	for what, specs := range map[string][]agent.Spec{"szz": nil, "crash": nil, "fix": nil, "szz with a tool": {{Name: "git_show"}}, "szz with another": {{Name: "git_show", Description: "x"}}} {
		verb, _, _ := strings.Cut(what, " ")
		hash, err := TextsHash(verb, specs)
		again, _ := TextsHash(verb, specs)
		if err != nil || len(hash) != 16 || hash != again {
			t.Errorf("%s: %q, then %q, %v", what, hash, again, err)
		}
		if other, ok := seen[hash]; ok {
			t.Errorf("%s has the hash of %s", what, other)
		}
		seen[hash] = what
	}
}
