package bisect

import (
	"context"
	"math"
)

// This file has what is known of the age of a culprit, as the number of commits since: it is
// log-uniform. A failure is mostly noticed soon, and how far back the good commit is that a user
// names says nothing about it.

// age weighs the commits of the graph by their age, and returns the probability that the culprit
// is behind them.
func (s *search) age(ctx context.Context, weights []float64) (older float64, err error) {
	for i := range weights {
		weights[i] /= float64(s.depth + i + ageOffset)
	}
	if !s.g.deeper {
		return 0, nil
	}
	total, err := s.repo.CountCommits(ctx, s.tip, nil)
	if err != nil {
		return 0, err
	}
	from, to := float64(s.depth+ageOffset), float64(s.depth+len(s.g.commits)+ageOffset)
	end := float64(s.depth + total + ageOffset)
	return math.Log(end/to) / math.Log(end/from), nil
}

// youth weighs the commits up to a good one by their age. Half of the weight is the same for all,
// because a user may have had a reason for the good commit.
func youth(weights []float64) {
	total := 0.0
	for i := range weights {
		total += 1 / float64(i+ageOffset)
	}
	n := float64(len(weights))
	for i := range weights {
		weights[i] *= 0.5 + 0.5*n/float64(i+ageOffset)/total
	}
}

// reached returns the place of the oldest commit that is New.
func (s *search) reached() int {
	at := 0
	for i, c := range s.g.commits {
		if t := s.tallies[c]; t.New > t.Old {
			at = i
		}
	}
	return at
}

// deepen looks for a commit behind the window that is Old, further back each time, and moves the
// tip to the oldest one that is New.
func (s *search) deepen(ctx context.Context) error {
	at := s.reached()
	s.tip, s.depth = s.g.commits[at], s.depth+at
	const giveUp = 3 // unknown outcomes in a row
	for unknown := 0; unknown < giveUp; {
		left, err := s.repo.CountCommits(ctx, s.tip, nil)
		if err != nil || left <= maxWindow {
			return err
		}
		depth, end := float64(s.depth+ageOffset), float64(s.depth+left+ageOffset)
		back := max(1, int(math.Sqrt(depth*end)-depth)>>unknown)
		c, err := s.repo.AncestorAt(ctx, s.tip, back)
		if err != nil {
			return err
		}
		s.progress("look for a commit with another outcome, %d back", s.depth+back)
		if err := s.try(ctx, c); err != nil {
			return err
		}
		switch s.runs[len(s.runs)-1].Outcome {
		case New:
			s.tip, s.depth, unknown = c, s.depth+back, 0
		case Old:
			s.old = append(s.old, c)
			return s.narrow(ctx)
		default:
			unknown++
		}
	}
	return nil
}
