package eval

import (
	"slices"
	"testing"
)

// Arms combine in any order under one name. An unknown or repeated part makes the name invalid.
func TestArms(t *testing.T) {
	arms := Arms{"no-tools", "no-code", "no-code-at-all"}
	for _, c := range []struct {
		name, canonical string
		parts           []string
		ok              bool
	}{
		{"agent", "agent", nil, true},
		{"agent-no-code", "agent-no-code", []string{"no-code"}, true},
		{"agent-no-code+no-tools", "agent-no-tools+no-code", []string{"no-tools", "no-code"}, true},
		{"agent-no-code-at-all+no-code", "agent-no-code+no-code-at-all", []string{"no-code", "no-code-at-all"}, true},
		{"agent-no-code+no-code", "", nil, false},
		{"agent-no-code+no-sleep", "", nil, false},
		{"agent-no-code+", "", nil, false},
		{"agent-", "", nil, false},
		{"agent+no-code", "", nil, false},
		{"rank", "", nil, false},
	} {
		parts, ok := arms.Parts(c.name)
		if ok != c.ok || ok && !slices.Equal(parts, c.parts) {
			t.Errorf("%s: %q, %v", c.name, parts, ok)
		}
		want := c.canonical
		if !c.ok {
			want = c.name
		}
		if got := arms.Canonical(c.name); got != want {
			t.Errorf("%s is called %s, want %s", c.name, got, want)
		}
	}
	if got := arms.Names(); !slices.Equal(got, []string{"agent", "agent-no-tools", "agent-no-code", "agent-no-code-at-all"}) {
		t.Errorf("names %q", got)
	}
}
