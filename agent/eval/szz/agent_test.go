package szzeval

import (
	"testing"

	"git-agent/agent/szz"
)

// Each name of an agent algorithm turns off other parts of the method. Without tools, a model has
// only the fix; joined parts are all turned off.
func TestAblate(t *testing.T) {
	seen := map[szz.Switches]string{}
	for _, name := range append(Arms.Names(), "agent-no-git-tools+no-claim-check") {
		with := SwitchesOf(name)
		if other, ok := seen[with]; ok {
			t.Errorf("%s is %s", name, other)
		}
		seen[with] = name
	}
	for want, name := range map[szz.Switches]string{
		{}: "agent",
		{NoTools: true, NoCandidates: true, NoClaimCheck: true}: "agent-no-tools",
		{NoTools: true}: "agent-no-git-tools",
		{NoTools: true, NoCandidates: true, NoClaimCheck: true, NoCompression: true}: "agent-no-compression+no-tools",
		{NoRanking: true, NoDomainKnowledge: true}:                                   "agent-no-ranking+no-domain-knowledge",
	} {
		if got := SwitchesOf(name); got != want {
			t.Errorf("%s turns off %q, want %q", name, got.Names(), want.Names())
		}
	}
}
