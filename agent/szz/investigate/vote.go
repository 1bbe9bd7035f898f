package investigate

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// voters counts the runs with an answer.
func voters(runs []szz.Run) (n int) {
	for _, r := range runs {
		if r.HasClaim() {
			n++
		}
	}
	return n
}

// A nomination holds the claims of the runs about one commit.
type nomination struct {
	commit     gitext.OID
	best       szz.Claim // the claim with most confidence
	runs       int       // number of runs that name it
	confidence float64   // sum of their confidence
}

// nominations collects the claims of the runs by commit, in the order in which the
// commits were first named.
func nominations(runs []szz.Run) (list []nomination) {
	for _, r := range runs {
		for _, c := range r.Claims {
			i := slices.IndexFunc(list, func(b nomination) bool { return b.commit == c.Commit })
			if i < 0 {
				i = len(list)
				list = append(list, nomination{commit: c.Commit, best: c})
			}
			b := &list[i]
			b.runs++
			b.confidence += c.Confidence
			if c.Confidence > b.best.Confidence {
				b.best = c
			}
		}
	}
	return list
}

// runWeight is the weight of one run; the ranking's estimate has weight one.
const runWeight = 2

// probability mixes the ranking's calibrated estimate p with the confidence of the runs.
// A run that names another commit, or says that there is none, counts as confidence 0:
//
//	(p + w * sum of confidence) / (1 + w * runs)
//
// The confidence that models state says little by itself (AgentSZZ, 6.1: 40 of 50 wrong
// answers were "high confidence"), so it is not used alone, nor is the agreement. The
// weight was set by hand. The result orders the suspects, and a Calibration turns it into
// a reliable probability.
func (n nomination) probability(p float64, answered int) float64 {
	return (p + runWeight*n.confidence) / (1 + runWeight*float64(answered))
}

// elect turns the claims of the runs into suspects, most probable first. If one run has
// an answer, each commit that it names is a suspect. If several have one, the suspects
// are the commits that more than half of them name, or the most probable commit if there
// is none.
func (d *investigation) elect(ctx context.Context, runs []szz.Run) ([]szz.Suspect, error) {
	list, answered := nominations(runs), voters(runs)
	ranked := map[gitext.OID]rank.Ranked{}
	for _, j := range d.ranking {
		ranked[j.Candidate.OID] = j
	}
	score := func(b nomination) float64 { return b.probability(ranked[b.commit].Probability, answered) }
	final := func(b nomination) float64 { return d.calibrated(score(b), b.agreement(answered)) }
	slices.SortStableFunc(list, func(a, b nomination) int {
		return cmp.Or(cmp.Compare(final(b), final(a)), cmp.Compare(score(b), score(a)))
	})
	if answered > 1 && len(list) > 0 {
		agreed := slices.DeleteFunc(slices.Clone(list), func(b nomination) bool { return 2*b.runs <= answered })
		if len(agreed) == 0 {
			agreed = list[:1]
		}
		list = agreed
	}
	if d.opt.Max > 0 && len(list) > d.opt.Max {
		list = list[:d.opt.Max]
	}
	var suspects []szz.Suspect
	for _, b := range list {
		s := szz.Suspect{}
		if j, ok := ranked[b.commit]; ok {
			s.Suspect = d.k.Suspect(j)
		}
		var err error
		if s.Commit, err = d.repo.Commit(ctx, b.commit); err != nil {
			return nil, err
		}
		s.Probability, s.Type = final(b), b.best.Type
		s.Vote = &szz.Vote{Raw: score(b), Agreement: b.agreement(answered), Absent: d.opt.Runs - answered}
		s.Reason = cmp.Or(d.scope.WithHashes(b.best.Reasoning), s.Reason, "named by the model without a reason")
		s.Evidence = append(s.Evidence, d.claimEvidence(b, answered)...)
		suspects = append(suspects, s)
	}
	return suspects, nil
}

// claimEvidence returns the evidence for a commit that the runs add to the evidence of
// the lines.
func (d *investigation) claimEvidence(b nomination, answered int) []suspect.Evidence {
	show := "git show " + b.commit.Short()
	var list []suspect.Evidence
	if b.best.Checked != "" {
		list = append(list, suspect.Evidence{Text: "named although " + b.best.Checked, Command: show})
	}
	if d.opt.Runs > 1 {
		list = append(list, suspect.Evidence{Text: b.share(answered, d.opt.Runs), Command: show})
	}
	if len(list) == 0 && !slices.ContainsFunc(d.ranking, func(j rank.Ranked) bool { return j.Candidate.OID == b.commit }) {
		list = append(list, suspect.Evidence{Text: "found by the model", Command: show})
	}
	return list
}

// share names the number of runs that name the commit, among those with an answer.
func (n nomination) share(answered, runs int) string {
	switch {
	case answered == runs:
		return fmt.Sprintf("%d of %d investigations name it", n.runs, answered)
	case answered == 1:
		return "the only investigation with an answer names it"
	}
	return fmt.Sprintf("%d of the %d investigations with an answer name it", n.runs, answered)
}

// agreement returns the share of the runs with an answer that name the commit.
func (n nomination) agreement(answered int) float64 { return float64(n.runs) / float64(answered) }

// calibrated calibrates a raw probability if there is a calibration.
func (d *investigation) calibrated(raw, agreement float64) float64 {
	if c := d.opt.Calibration; c != nil {
		return c.Probability(raw, agreement)
	}
	return raw
}
