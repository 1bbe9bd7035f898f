package render

import (
	"bytes"
	"slices"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
)

// What a reader is told about a suspect is true beside the first one: a younger commit is not less
// likely because of its age, and a signal of both is named only if the first one has more of it. A
// suspect has only its strongest signals: one that is not among them may still be as strong as the
// weakest that is. Prometheus' f972cac5 said of the third-last change of the file that being "among the
// last changes of the files" speaks for the last one alone.
func TestAgainst(t *testing.T) {
	t.Parallel()
	const age, line, code = "its age", "owns the line of a frame", "owns code of the functions"
	first := szz.Suspect{Suspect: suspect.Suspect{Signals: []suspect.Signal{
		{Name: line, Weight: 2, Value: 1}, {Name: code, Weight: 1}, {Name: age, Weight: -0.9},
	}}}
	for name, test := range map[string]struct {
		signals []suspect.Signal
		lead    string
		names   []string
	}{
		"as much":               {[]suspect.Signal{{Name: line, Weight: 1.5, Value: 1}, {Name: code, Weight: 0.4}}, "what speaks more for the first one: ", []string{code}},
		"older":                 {[]suspect.Signal{{Name: line, Weight: 2}, {Name: age, Weight: -1.2}}, "less likely, because: ", []string{age}},
		"younger without lines": {[]suspect.Signal{{Name: code, Weight: 1}, {Name: age, Weight: -0.3}}, "what speaks more for the first one: ", []string{line}},
		"younger with less":     {[]suspect.Signal{{Name: line, Weight: 2}, {Name: code, Weight: 0.4}}, "what speaks more for the first one: ", []string{code}},
		"may be as strong":      {[]suspect.Signal{{Name: line, Weight: 3}, {Name: "another", Weight: 1.5}}, "what speaks more for the first one: ", nil},
		"the same":              {first.Signals, "what speaks more for the first one: ", nil},
	} {
		lead, names := against(first, szz.Suspect{Suspect: suspect.Suspect{Signals: test.signals}})
		if lead != test.lead || !slices.Equal(names, test.names) {
			t.Errorf("%s: %q %q, want %q %q", name, lead, names, test.lead, test.names)
		}
	}
}

// What speaks for the first suspect is left out where a run of the test decided: in hyperium/http, the refuted second one
// was less likely also because the first one "owns a line close to a change".
func TestRunDecides(t *testing.T) {
	t.Parallel()
	with := func(status string, weight float64) szz.Suspect {
		s := suspect.Suspect{Signals: []suspect.Signal{{Name: "close", Weight: weight}}}
		if status != "" {
			s.Confirmation = &suspect.Confirmation{Status: status}
		}
		return szz.Suspect{Suspect: s}
	}
	for _, c := range []struct {
		first, second string
		said          bool
	}{
		{"", "", true}, {suspect.Unclear, suspect.Unclear, true},
		{suspect.Confirmed, "", false}, {"", suspect.Refuted, false},
	} {
		var b bytes.Buffer
		NewHuman(&b, ui.Palette{}, 80, false, nil).lessLikely(&b, with(c.first, 2), with(c.second, 1))
		if said := b.Len() > 0; said != c.said {
			t.Errorf("first %q, second %q: %q", c.first, c.second, b.String())
		}
	}
}
