package render

import (
	"slices"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
)

// What a reader is told about a suspect is true beside the first one: a younger commit is not less
// likely because of its age, and a signal of both is named only if the first one has more of it.
func TestAgainst(t *testing.T) {
	t.Parallel()
	const age, line, code = "its age", "owns the line of a frame", "owns code of the functions"
	first := szz.Suspect{Suspect: suspect.Suspect{Signals: []suspect.Signal{
		{Name: line, Weight: 2}, {Name: code, Weight: 1}, {Name: age, Weight: -0.9},
	}}}
	for name, test := range map[string]struct {
		signals []suspect.Signal
		lead    string
		names   []string
	}{
		"older":                 {[]suspect.Signal{{Name: line, Weight: 2}, {Name: age, Weight: -1.2}}, "less likely, because: ", []string{age}},
		"younger without lines": {[]suspect.Signal{{Name: code, Weight: 1}, {Name: age, Weight: -0.3}}, "what speaks for the first one alone: ", []string{line}},
		"younger with less":     {[]suspect.Signal{{Name: line, Weight: 2}, {Name: code, Weight: 0.4}}, "what speaks more for the first one: ", []string{code}},
		"the same":              {first.Signals, "what speaks more for the first one: ", nil},
	} {
		lead, names := against(first, szz.Suspect{Suspect: suspect.Suspect{Signals: test.signals}})
		if lead != test.lead || !slices.Equal(names, test.names) {
			t.Errorf("%s: %q %q, want %q %q", name, lead, names, test.lead, test.names)
		}
	}
}
