// Package render prints answers and recorded runs: for people, as JSON, in the
// user's format, as SARIF, as an HTML page, or as a trailer. It reads no repository
// and changes no answer.
package render

import (
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/release"
	"git-agent/agent/szz/engine"
	"git-agent/gitext"
)

// Answer is an answer in a form for renderers.
type Answer struct {
	engine.Result
	// Requests has the pull and merge requests that brought suspects, as far as they were looked for.
	Requests map[gitext.OID]release.Request
	hidden   int // number of suspects removed by WithoutSuspects
}

// WithoutSuspects returns the answer without its suspects, and with a note that
// they are not shown.
func (ans Answer) WithoutSuspects() Answer {
	ans.hidden = len(ans.Answer.Suspects)
	if ans.hidden == 0 {
		return ans
	}
	bare := *ans.Answer
	bare.Suspects, bare.Owner = nil, nil
	bare.Notes = append(slices.Clone(bare.Notes), fmt.Sprintf("%s not shown, as --max-count=0 says", agent.Plural(ans.hidden, "suspect")))
	ans.Answer = &bare
	return ans
}
