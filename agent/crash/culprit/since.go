package culprit

import (
	"context"

	"git-agent/gitext"
)

// since restricts suspects to the commits after one that did not crash.
type since struct {
	good    gitext.OID
	after   map[gitext.OID]bool // commits reachable from the crash commit but not from good
	commits int
}

// maxAfter is the most commits after a good one that are listed. A longer range restricts almost
// nothing.
const maxAfter = 200_000

// newSince lists the commits after good. It returns nil if good is "".
func newSince(ctx context.Context, repo *gitext.Repo, commit, good gitext.OID) (*since, error) {
	if good == "" {
		return nil, nil
	}
	s := &since{good: good, after: map[gitext.OID]bool{}}
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: commit, Not: []gitext.OID{good}, Max: maxAfter}) {
		if err != nil {
			return nil, err
		}
		s.after[e.OID] = true
		if len(e.Parents) < 2 {
			s.commits++
		}
	}
	return s, nil
}

// allows reports whether a commit may be a suspect.
func (s *since) allows(oid gitext.OID) bool { return s == nil || s.after[oid] }
