package engine

import (
	"fmt"

	"git-agent/agent"
	"git-agent/agent/bisect"
)

// noteUnjudged says at how many commits the command could not be judged, and the reason that most of
// them have, unless the culprit is proved.
func (r *Result) noteUnjudged() {
	if r.Answer == nil || r.Status == bisect.Proved || r.Status == bisect.Nothing {
		return
	}
	unjudged, most, counts := 0, bisect.Run{}, map[string]int{}
	for _, run := range r.Runs {
		if run.Outcome != bisect.Unknown {
			continue
		}
		unjudged++
		if counts[run.How]++; counts[run.How] > counts[most.How] {
			most = run
		}
	}
	if unjudged > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s could not be judged (-v shows all); at %s, it %s",
			agent.Plural(unjudged, "run"), most.Commit.Short(), most.How))
	}
}
