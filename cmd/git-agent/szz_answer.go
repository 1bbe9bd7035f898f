package main

import (
	"fmt"
	"git-agent/agent/szz/engine"
	"slices"
)

// szzAnswer is what a renderer shows of one fix.
type szzAnswer struct {
	engine.Answer
	hidden int // suspects that were taken out before it is shown
}

// unseen is the answer without its suspects.
func (ans szzAnswer) unseen() szzAnswer {
	ans.hidden = len(ans.Verdict.Suspects)
	if ans.hidden == 0 {
		return ans
	}
	bare := *ans.Verdict
	bare.Suspects = nil
	bare.Notes = append(slices.Clone(bare.Notes), fmt.Sprintf("%s not shown, as --max-count=0 says", plural(ans.hidden, "suspect")))
	ans.Verdict = &bare
	return ans
}
