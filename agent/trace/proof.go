package trace

import (
	"git-agent/agent"
	"git-agent/agent/source"
)

// KeyPatch is the key of the note with the patch of a trajectory, which the program writes after
// the conversation.
const KeyPatch = "patch"

// Patch is the patch of a trajectory of fix, and what the tests say of it.
type Patch struct {
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason,omitempty"`  // of a refusal, or a message of the build
	Failing  []string `json:"failing,omitempty"` // tests that fail with the patch
	Checks   []Check  `json:"checks,omitempty"`
	Cautions []string `json:"cautions,omitempty"` // limits of the proof
	Diff     string   `json:"diff"`               // as git diff prints it
	Cut      int      `json:"cut,omitempty"`      // bytes of the patch that were not recorded
	Seconds  float64  `json:"seconds,omitempty"`  // duration of the commands
}

// Check is a command that ran with the patch applied, and its end.
type Check struct {
	Command string `json:"command"`
	How     string `json:"how"` // predicate of a sentence with the subject "it"
}

// maxPatch bounds a recorded patch, in bytes.
const maxPatch = 512 << 10

// Masked returns the patch without secrets, and without the end of a very large diff.
func (p Patch) Masked(mask agent.Mask) Patch {
	p.Diff = mask.Text(p.Diff)
	if n := len(p.Diff); n > maxPatch {
		p.Diff = source.Cut(p.Diff, maxPatch)
		p.Cut = n - len(p.Diff)
	}
	p.Reason, p.Failing, p.Cautions = mask.Text(p.Reason), masked(mask, p.Failing), masked(mask, p.Cautions)
	checks := p.Checks
	p.Checks = nil
	for _, c := range checks {
		p.Checks = append(p.Checks, Check{mask.Text(c.Command), mask.Text(c.How)})
	}
	return p
}

func masked(mask agent.Mask, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, mask.Text(s))
	}
	return out
}
