package localize

import (
	"math"

	"git-agent/agent/crash"
	"git-agent/agent/stat"
)

// probability returns the probability that the repair changes a file, from its votes
// and its probability by the offline ranking.
func probability(v *crash.Vote, offline float64) float64 {
	share := 0.0
	if v.Of > 0 {
		share = v.Score / float64(v.Of)
	}
	p := min(max(offline, 0.01), 0.99)
	return stat.Logistic(plattBase + plattVotes*share + plattRank*math.Log(p/(1-p)))
}

const (
	plattBase  = -2.0
	plattVotes = 3.5
	plattRank  = 0.3
)
