// Package rank orders the candidates of a fix by the probability that they introduced the
// bug. It uses a model of boosted trees over features of candidate and fix. No language
// model is asked.
//
// The trees are in model.json, which cmd/train/szztrain makes. Equal repositories
// give equal probabilities.
package rank

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"git-agent/agent"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// Trace answers with the algorithm "rank": it takes candidates from several sources and
// orders them with one trained model (model.go), which also gives their probabilities.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, max int) (*szz.Answer, error) {
	k, judged, err := Assess(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	return k.Answer(judged, max)
}

// Assess gathers the facts about a fix and ranks its candidates, most probable
// first.
func Assess(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*Case, []Ranked, error) {
	k, err := study(ctx, repo, fc)
	if err == nil && fc.Index && repo.HasIndex(ctx) {
		k, err = k.withIndex(ctx, repo)
	}
	if err != nil {
		return nil, nil, err
	}
	ranked, err := k.rank(ctx)
	if err != nil {
		return k, nil, err
	}
	ranked = without(ranked, fc)
	return k, ranked, k.countFiles(ctx, repo, ranked)
}

// without leaves out the candidates that the user excludes, and divides their probability among
// the others as if the bug had one culprit. Of 260 fixes of twelve repositories whose wrong first
// suspect is excluded, the next one is right in .362; its mean probability is .346.
func without(ranked []Ranked, fc *szz.FixContext) []Ranked {
	if len(fc.Not) == 0 {
		return ranked
	}
	rest, gone := []Ranked{}, 0.0
	for _, j := range ranked {
		if fc.Excludes(j.Candidate.OID) {
			gone += j.Probability
		} else {
			rest = append(rest, j)
		}
	}
	for i := range rest {
		rest[i].Probability = WithoutShare(rest[i].Probability, gone)
	}
	return rest
}

// WithoutShare returns the probability of a candidate after other candidates were excluded; gone is
// the sum of their probabilities.
func WithoutShare(p, gone float64) float64 { return min(p/max(1-gone, p), mostWithout) }

// mostWithout bounds the probability of a candidate after others were excluded: the history may
// not have the culprit.
const mostWithout = 0.9

// Answer names the best ranked candidates: n of them, or the probable ones if n is 0. It
// names none if a shallow clone lacks the owners of all lines: the probabilities were
// learnt from whole histories, where the owners are among the candidates, and would mean
// nothing.
func (k *Case) Answer(ranked []Ranked, n int) (*szz.Answer, error) {
	m, err := k.modelOf()
	if err != nil {
		return nil, err
	}
	v := &szz.Answer{Algorithm: "rank", Notes: k.Set.Notes, Index: k.indexed}
	for _, j := range ranked {
		v.Candidates = append(v.Candidates, j.Candidate.OID)
	}
	if len(ranked) == 0 && k.Set.Beyond {
		return v, nil // the notes say what the clone lacks; nothing is known of the commits that it lacks
	}
	if len(ranked) == 0 {
		v.Notes = append(v.Notes, "no commit in the history of the fix's parent touches what the fix touches")
		return v, nil
	}
	if k.Set.Beyond {
		return v, nil
	}
	if n <= 0 {
		n = m.shortList(ranked, k.Set.Ghost())
	}
	for _, j := range ranked[:min(n, len(ranked))] {
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: k.Suspect(j)})
	}
	v.Owner = k.Owner(ranked, v.Suspects)
	return v, nil
}

// Owner returns the commit that wrote most of the lines of code that the fix removes,
// even if it is improbable: a reader looks at it first, and wants to know the evidence
// against it. Among several such commits it is the most probable. It is nil if the commit
// is a suspect or there is no suspect, if the fix removes no code, and if a shallow clone
// lacks the owners of all lines.
func (k *Case) Owner(ranked []Ranked, suspects []szz.Suspect) *szz.Suspect {
	if len(suspects) == 0 || k.Set.Beyond {
		return nil
	}
	var owner *Ranked
	for i := range ranked {
		if n := k.owned[ranked[i].Candidate.OID]; n > 0 && (owner == nil || n > k.owned[owner.Candidate.OID]) {
			owner = &ranked[i]
		}
	}
	if owner == nil || slices.ContainsFunc(suspects, func(s szz.Suspect) bool { return s.Commit.OID == owner.Candidate.OID }) {
		return nil
	}
	return &szz.Suspect{Suspect: k.Suspect(*owner)}
}

// study gathers the inputs of the features.
func study(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*Case, error) {
	set, err := candidate.FindAnchors(ctx, repo, fc)
	if err != nil {
		return nil, err
	}
	p, err := candidate.Gather(ctx, repo, fc, set)
	if err != nil {
		return nil, err
	}
	return newCase(ctx, fc, set, p)
}

// A Ranked is a candidate with the result of the ranker's model.
type Ranked struct {
	Candidate     *candidate.Candidate
	features      []float64
	Probability   float64   // calibrated
	contributions []float64 // of each feature to the log-odds
	doubt         string    // why doubt lowers its probability, as a signal; "" if it does not
	lowered       float64   // change of the log-odds by doubt
}

// Suspect makes a ranked candidate a suspect, with reason, evidence and signals.
func (k *Case) Suspect(j Ranked) suspect.Suspect {
	s := suspect.Suspect{Commit: j.Candidate.Commit, Probability: j.Probability, Signals: signals(j)}
	s.Evidence = k.evidence(j.Candidate)
	s.Reason = k.Reason(j.Candidate)
	return s
}

// columnFeature returns the feature of a column.
func columnFeature(column int) *feature {
	if column < len(features) {
		return &features[column]
	}
	return &indexedFeatures[column-len(features)]
}

// signals lists the features with the largest effect on the probability, strongest first.
func signals(j Ranked) []suspect.Signal {
	const most = 6
	var list []suspect.Signal
	for i, w := range j.contributions {
		if math.Abs(w) >= 0.05 && !strings.HasPrefix(columnFeature(i).name, "fix_") {
			list = append(list, suspect.Signal{Name: wording(columnFeature(i), j.features[i], w), Value: j.features[i], Weight: w})
		}
	}
	if j.doubt != "" {
		list = append(list, suspect.Signal{Name: j.doubt, Value: 1, Weight: j.lowered})
	}
	sort.SliceStable(list, func(a, b int) bool { return math.Abs(list[a].Weight) > math.Abs(list[b].Weight) })
	return list[:min(most, len(list))]
}

// historyReason describes the changes of a candidate to the fixed files if it owns no
// line near the fix.
func (k *Case) historyReason(c *candidate.Candidate) string {
	if c.Position == 0 {
		return "the last commit to change a file that the fix changes"
	}
	if n := c.Position; n > 0 && n < fewLater {
		return fmt.Sprintf("changed a file that the fix changes; %d later %s did, too", n, agent.PluralOf(n, "commit", "commits"))
	}
	return "changed a file that the fix changes"
}

// fewLater is the largest number of later commits that a reason counts.
const fewLater = 10
