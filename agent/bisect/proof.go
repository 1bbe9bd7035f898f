package bisect

import (
	"slices"

	"git-agent/gitext"
)

// proofs returns the number of runs that must agree at each commit of a proof.
func (s *search) proofs() int {
	if s.flaky {
		return max(s.q.Proofs, flakyProofs)
	}
	return max(s.q.Proofs, 1)
}

// sure returns the least probability of a culprit.
func (s *search) sure() float64 {
	if s.flaky {
		return flakySure
	}
	return sure
}

// missing returns the commits that have to run, or to run again, for the proof that a commit is
// the culprit.
func (s *search) missing(top int) []gitext.OID {
	var list []gitext.OID
	c := s.g.commits[top]
	if t := s.tallies[c]; t.New-t.Old < s.proofs() && !s.unusable(c) {
		list = append(list, c)
	}
	for _, p := range s.g.parents[top] {
		if t := s.tallies[p]; t.Old-t.New < s.proofs() && !s.unusable(p) {
			list = append(list, p)
		}
	}
	return list
}

// retry returns a commit that the proof for another one needs and that failed in another way than the tip, once: that
// may have been chance. It returns "" if there is none, or if a second run ended so before.
func (s *search) retry(top int) gitext.OID {
	if s.flaky {
		return ""
	}
	failed := map[gitext.OID]int{}
	for _, r := range s.runs {
		if r.other {
			failed[r.Commit]++
		}
	}
	for _, n := range failed {
		if n > 1 {
			return ""
		}
	}
	for _, c := range append([]gitext.OID{s.g.commits[top]}, s.g.parents[top]...) {
		if t := s.tallies[c]; failed[c] == 1 && t.Unknown == 1 && t.New+t.Old == 0 && !slices.Contains(s.q.Skip, c) {
			return c
		}
	}
	return ""
}

// proved reports whether the runs prove that a commit is the culprit.
func (s *search) proved(top int) bool {
	t := s.tallies[s.g.commits[top]]
	if t.New-t.Old < s.proofs() || len(s.g.parents[top]) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.g.parents[top], func(p gitext.OID) bool {
		t := s.tallies[p]
		return t.Old-t.New < s.proofs()
	})
}

// ended returns the status of a search that can learn no more, with a commit as the most probable
// culprit.
func (s *search) ended(weights []float64, top int) Status {
	switch {
	case weights[top] >= s.sure() && s.proved(top):
		return Proved
	case s.belief.olds == 0 && len(s.old) == 0:
		s.first = s.g.commits[s.reached()]
		return Always
	}
	return Apart
}

// checkTrusted returns an error if a run contradicts what the user says about a commit: a
// commit of Question.Old at which the outcome is New.
func (s *search) checkTrusted(c gitext.OID) error {
	t := s.tallies[c]
	if slices.Contains(s.q.Old, c) && t.New > 0 && t.Old == 0 && (!s.flaky || t.New >= tipTries) {
		return &OldError{Commit: c}
	}
	return nil
}

// answer returns the state of the search.
func (s *search) answer() *Answer {
	a := &Answer{Status: s.status, First: s.first, Runs: s.runs, Range: s.count, Halvings: s.halvings, Notes: s.notes}
	if s.belief == nil {
		return a
	}
	e := s.belief.estimate()
	weights := e.weights
	if s.flaky {
		a.FalseNew, a.FalseOld = e.mean.falseNew, e.mean.falseOld
	}
	for _, i := range s.byWeight(weights) {
		if len(a.Candidates) == maxCandidates || weights[i] < 0.001 {
			break
		}
		a.Candidates = append(a.Candidates, Candidate{s.g.commits[i], weights[i]})
	}
	if i, ok := s.g.known(s.first); ok {
		if a.At = s.tallies[s.first]; s.status != Always {
			a.Probability = weights[i]
		}
		for _, p := range s.g.parents[i] {
			a.Parents = append(a.Parents, ParentRuns{p, s.tallies[p]})
		}
	}
	return a
}
