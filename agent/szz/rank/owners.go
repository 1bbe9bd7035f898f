package rank

import (
	"math"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/stat"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// This file computes the place of a candidate among the owners of lines. R-SZZ answers
// with the newest owner of a deleted line of code and L-SZZ with the largest (Davies et
// al., JSEP 2014). The ranker's model uses places in these orders instead, also among the
// owners of lines that a fix does not change.

// An ownerSet is a set of candidates that own lines of a kind.
type ownerSet int

// The sets of owners.
const (
	codeOwners     ownerSet = iota // own a deleted line of code
	nearOwners                     // own such a line or one around a change
	functionOwners                 // own such a line or another one of a changed function
	originOwners                   // wrote a word that the fix removes, even if others rewrote it since
	numOwnerSets
)

// A sortOrder is an order for a set of owners.
type sortOrder int

// The orders.
const (
	byAge  sortOrder = iota // newest first
	bySize                  // most added and removed lines first
	numSortOrders
)

// inOwnerSet reports whether a candidate belongs to a set. As in MA-SZZ, merges and
// commits that only moved their lines belong to none.
func (k *Case) inOwnerSet(c *candidate.Candidate, set ownerSet) bool {
	if len(c.Commit.Parents) > 1 {
		return false
	}
	code := k.owned[c.OID] > k.moved[c.OID]
	switch set {
	case codeOwners:
		return code
	case originOwners:
		return k.shares[candidate.ShareOrigin][c.OID] > 0
	case nearOwners:
		return code || c.Sources&candidate.FromContext != 0
	}
	return code || c.Sources&(candidate.FromContext|candidate.FromFunction) != 0
}

// rankOwners computes the places in each set of owners, in each order.
func (k *Case) rankOwners(byDate []*candidate.Candidate) {
	size := func(c *candidate.Candidate) int { return c.Diff.NAdded + c.Diff.NRemoved }
	bySizes := slices.Clone(byDate)
	sort.SliceStable(bySizes, func(i, j int) bool { return size(bySizes[i]) > size(bySizes[j]) })
	for set := range numOwnerSets {
		for o, list := range [numSortOrders][]*candidate.Candidate{byAge: byDate, bySize: bySizes} {
			places := map[gitext.OID]int{}
			for _, c := range list {
				if k.inOwnerSet(c, set) {
					places[c.OID] = len(places)
				}
			}
			k.ownerRanks[set][o] = places
		}
	}
}

// closenessToFirst returns the feature that is 1 for the first of a set of owners,
// smaller for the later ones, and 0 outside the set.
func closenessToFirst(o sortOrder, set ownerSet) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		if at, ok := k.ownerRanks[set][o][c.OID]; ok {
			return reciprocal(at)
		}
		return 0
	}
}

// isOldest returns the feature that is 1 for the oldest of a set of owners.
func isOldest(set ownerSet) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		places := k.ownerRanks[set][byAge]
		at, ok := places[c.OID]
		return stat.Flag(ok && at == len(places)-1)
	}
}

// distance returns the number of commits between a candidate and the fix. It is counted
// among the newest commits, and estimated from the repository's pace beyond them. An age
// in days means little across repositories: a month is ten commits in one and a thousand
// in another.
func (k *Case) distance(c *candidate.Candidate) float64 {
	const fastest = 1.0 / 1440 // days: one commit a minute, so that no pace of 0 divides
	if c.Recent >= 0 {
		return float64(c.Recent)
	}
	return max(float64(len(k.pool.Recents)), math.Min(k.ageDays(c)/max(k.pool.Pace, fastest), 1e6))
}

// SamePerson reports whether two persons have the same address or the same full name:
// many people commit from two machines.
func SamePerson(a, b gitext.Person) bool {
	return a.Email == b.Email || strings.Contains(a.Name, " ") && strings.EqualFold(a.Name, b.Name)
}
