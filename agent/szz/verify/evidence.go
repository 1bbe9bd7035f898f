package verify

import (
	"cmp"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
)

// A finding is what the command showed about a commit, and how much more often it
// shows that of a culprit than of another suspect.
type finding struct {
	suspect.Confirmation
	ratio float64
}

// Likelihood ratios of findings. PLACEHOLDER
const (
	confirmedRatio = 20.0
	olderRatio     = 0.5 // the command also fails at a parent
	newerRatio     = 0.1 // the command passes at the suspect
	unclearRatio   = 1.0
)

// bisectedProbability is that of a commit that a bisection found and the ranking did
// not name. The ranking says nothing about such a commit, so there are no odds to
// update.
const bisectedProbability = 0.7

// judge marks a suspect with a finding and updates its probability by Bayes' rule, in
// odds. If the finding confirms the suspect, less is left for the others, because
// most fixes have one culprit. If it refutes the suspect, the others keep their
// probabilities: it may as well be that none of them is right. Suspects without a
// probability, as those of the classic variants, get none.
func judge(v *szz.Verdict, i int, f finding) {
	s := &v.Suspects[i]
	s.Confirmation = &f.Confirmation
	p := s.Probability
	if p <= 0 || p >= 1 || f.ratio == 1 {
		return
	}
	odds := p / (1 - p) * f.ratio
	s.Prior, s.Probability = cmp.Or(s.Prior, p), odds/(1+odds)
	if f.Status == suspect.Confirmed {
		lessen(v, i, (1-s.Probability)/(1-p))
	}
}

// judgeUnranked marks the last suspect, which a bisection found, with a finding.
func judgeUnranked(v *szz.Verdict, f finding) {
	i := len(v.Suspects) - 1
	v.Suspects[i].Confirmation = &f.Confirmation
	if f.Status == suspect.Confirmed && estimated(v) {
		lessen(v, i, 1-bisectedProbability)
		v.Suspects[i].Probability = bisectedProbability
	}
}

// lessen multiplies the probabilities of all suspects but one by a share.
func lessen(v *szz.Verdict, but int, share float64) {
	for k := range v.Suspects {
		if s := &v.Suspects[k]; k != but && s.Probability > 0 {
			s.Prior = cmp.Or(s.Prior, s.Probability)
			s.Probability *= share
		}
	}
}

// estimated reports whether a verdict has probabilities.
func estimated(v *szz.Verdict) bool {
	return slices.ContainsFunc(v.Suspects, func(s szz.Suspect) bool { return s.Probability > 0 })
}

// sortSuspects orders the suspects by probability, or where they have none, puts
// confirmed ones first and refuted ones last.
func sortSuspects(v *szz.Verdict) {
	byProbability := estimated(v)
	slices.SortStableFunc(v.Suspects, func(a, b szz.Suspect) int {
		if byProbability {
			return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(statusOrder(a), statusOrder(b)))
		}
		return cmp.Compare(statusOrder(a), statusOrder(b))
	})
}

// statusOrder is 0 for a confirmed suspect, 2 for a refuted one, 1 for others.
func statusOrder(s szz.Suspect) int {
	switch {
	case isConfirmed(s):
		return 0
	case s.Confirmation != nil && s.Confirmation.Status == suspect.Refuted:
		return 2
	}
	return 1
}
