package szzeval

import (
	"testing"

	"git-agent/agent/szz/detect"
)

// Each name turns off one part.
func TestAblate(t *testing.T) {
	seen := map[[5]bool]bool{}
	for _, name := range AgentAlgorithms {
		var opt detect.Options
		Ablate(name, &opt)
		seen[[5]bool{opt.NoTools, opt.NoDomainKnowledge, opt.NoCompression, opt.NoCandidates, opt.NoClaimCheck}] = true
	}
	if len(seen) != len(AgentAlgorithms) {
		t.Errorf("%d names for %d settings", len(AgentAlgorithms), len(seen))
	}
}
