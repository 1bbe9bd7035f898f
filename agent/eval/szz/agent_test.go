package szzeval

import "testing"

// Each name of an agent algorithm turns off one part of the method.
func TestAblate(t *testing.T) {
	seen := map[[5]bool]bool{}
	for _, name := range Arms.Names() {
		opt := SwitchesOf(name)
		seen[[5]bool{opt.NoTools, opt.NoDomainKnowledge, opt.NoCompression, opt.NoCandidates, opt.NoClaimCheck}] = true
	}
	if len(seen) != len(Arms.Names()) {
		t.Errorf("%d names for %d settings", len(Arms.Names()), len(seen))
	}
}
