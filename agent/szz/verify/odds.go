package verify

import (
	"cmp"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
)

// ratios are the likelihood ratios of the command's results for a suspect: the frequency
// of a result among culprits, divided by its frequency among other suspects. They are
// measured on 33 fixes with tests whose culprits are known from the fix's message (17) or
// by reading (16). Of 33 culprits, the command confirmed 5 and refuted 6; of 133 other
// suspects it confirmed none and refuted 62. The ratios, 22.7 and .42, count one made-up
// commit of each kind and result, so that a few cases make no proof, and are rounded
// towards 1. With them, the first suspect is right in 23 of the first 32 fixes instead of
// 18, and the log loss of a suspect's probability falls from .30 to .24, measured with
// each fix left out of its own ratios. An unclear suspect (22 culprits, 71 others) keeps
// its probability.
//
//	go run ./cmd/train szz confirm -repos DIR cmd/train/szztrain/testdata/confirm.jsonl > rows
//	go run ./cmd/train szz ratios rows
//
// A refutation is the weaker evidence, because a test may fail before the culprit for
// another reason than the bug: its feature did not exist yet.
var ratios = map[string]float64{suspect.Confirmed: 20, suspect.Refuted: 0.45, suspect.Unclear: 1}

// provedProbability is the least probability of a commit at which the command fails and at whose
// parents it passes: of one that a bisection found and the ranking did not name, and of a suspect
// that the ranking gave little. It is counted: of 86 commits that were proved so and then read by
// hand, 71 are the culprit, 6 may be and 9 are not (README.md of cmd/train/szztrain). Doubtful ones
// count half, and one of each kind is added. Where the ranking names another commit, the share is
// smaller, which these 86 do not tell; on 39 executed fixes of which 37 end at the culprit it is .95.
const provedProbability = 0.85

// judge marks a suspect with the command's result and updates its probability by Bayes'
// rule, in odds. If the command confirms the suspect, it is as probable as any proved commit, and
// the other probabilities fall, because most fixes have one culprit. If it refutes the suspect, the others keep their
// probabilities: perhaps none of them is right. Suspects without a probability, such as
// those of the classic variants, get none.
func judge(v *szz.Answer, i int, f suspect.Confirmation) {
	s := &v.Suspects[i]
	p := s.Probability
	if mark(s, f) && f.Status == suspect.Confirmed {
		s.Probability = max(s.Probability, provedProbability)
		lessen(v, i, (1-s.Probability)/(1-p))
	}
}

// mark marks a suspect with the command's result, and updates its own probability. It reports whether the
// probability changed.
func mark(s *szz.Suspect, f suspect.Confirmation) bool {
	s.Confirmation = &f
	p := s.Probability
	if p <= 0 || p >= 1 || ratios[f.Status] == 1 {
		return false
	}
	odds := p / (1 - p) * ratios[f.Status]
	s.Prior, s.Probability = cmp.Or(s.Prior, p), odds/(1+odds)
	return true
}

// judgeUnranked marks the last suspect, which a bisection found, with the command's
// result.
func judgeUnranked(v *szz.Answer, f suspect.Confirmation) {
	i := len(v.Suspects) - 1
	v.Suspects[i].Confirmation = &f
	if f.Status == suspect.Confirmed && estimated(v) {
		lessen(v, i, 1-provedProbability)
		v.Suspects[i].Probability = provedProbability
	}
}

// lessen multiplies the probabilities of all suspects except one, and of the owner, by a share.
func lessen(v *szz.Answer, but int, share float64) {
	less := func(s *szz.Suspect) {
		if s.Probability > 0 {
			s.Prior = cmp.Or(s.Prior, s.Probability)
			s.Probability *= share
		}
	}
	for k := range v.Suspects {
		if k != but {
			less(&v.Suspects[k])
		}
	}
	if v.Owner != nil {
		less(v.Owner)
	}
}

// estimated reports whether an answer has probabilities.
func estimated(v *szz.Answer) bool {
	return slices.ContainsFunc(v.Suspects, func(s szz.Suspect) bool { return s.Probability > 0 })
}

// sortSuspects orders the suspects by probability. If they have none, it puts confirmed
// ones first and refuted ones last.
func sortSuspects(v *szz.Answer) {
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
