// Package render puts answers of szz and recorded runs into their forms: for
// reading, as JSON, in a format of the user's, and as a trailer. It asks nobody
// and decides nothing.
package render

import (
	"fmt"
	"slices"

	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/layout"
)

// Answer is what a renderer shows of one fix.
type Answer struct {
	engine.Answer
	hidden int // suspects that were taken out before it is shown
}

// WithoutSuspects is the answer without its suspects.
func (ans Answer) WithoutSuspects() Answer {
	ans.hidden = len(ans.Verdict.Suspects)
	if ans.hidden == 0 {
		return ans
	}
	bare := *ans.Verdict
	bare.Suspects = nil
	bare.Notes = append(slices.Clone(bare.Notes), fmt.Sprintf("%s not shown, as --max-count=0 says", layout.Plural(ans.hidden, "suspect")))
	ans.Verdict = &bare
	return ans
}
