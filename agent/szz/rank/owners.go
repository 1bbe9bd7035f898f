package rank

import (
	"math"
	"slices"
	"sort"
	"strings"

	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// Where a candidate stands among the owners of lines. R-SZZ takes the newest
// owner of a deleted line of code and L-SZZ the largest (Davies et al., JSEP
// 2014); the model sees these picks as places, also among the owners of lines
// that a fix leaves alone.

// An owning is what makes a candidate one of a set of owners.
type ownerSet int

const (
	codeOwners     ownerSet = iota // a deleted line of code
	nearOwners                     // that, or a line around a change
	functionOwners                 // that, or a line of a changed function
	originOwners                   // a word that the fix takes out, whoever rewrote it since
	numOwnerSets
)

// An order in which owners are put.
type sortOrder int

const (
	byAge  sortOrder = iota // newest first
	bySize                  // most added and removed lines first
	numSortOrders
)

// inOwnerSet says whether the candidate belongs to a set. Merges and commits that
// only moved its lines own nothing here, as in MA-SZZ.
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

// rankOwners puts the owners of each set in each order.
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

// closenessToFirst is the closeness of a candidate to the head of a set of owners.
func closenessToFirst(o sortOrder, set ownerSet) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		if at, ok := k.ownerRanks[set][o][c.OID]; ok {
			return reciprocal(at)
		}
		return 0
	}
}

// isLast tells the one at the end of a set of owners.
func isLast(o sortOrder, set ownerSet) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		places := k.ownerRanks[set][o]
		at, ok := places[c.OID]
		return flag(ok && at == len(places)-1)
	}
}

// distance is how many commits lie between a candidate and the fix: counted
// among the recent ones, estimated by the repository's pace beyond them. An
// age in days means little across repositories; in one a month is ten commits,
// in another a thousand.
func (k *Case) distance(c *candidate.Candidate) float64 {
	const slowest = 1.0 / 1440 // one commit a minute, lest imports divide by nothing
	if c.Recent >= 0 {
		return float64(c.Recent)
	}
	return max(float64(len(k.pool.Recents)), math.Min(k.ageDays(c)/max(k.pool.Pace, slowest), 1e6))
}

// SamePerson forgives another address: many people commit from two machines.
func SamePerson(a, b gitext.Person) bool {
	return a.Email == b.Email || strings.Contains(a.Name, " ") && strings.EqualFold(a.Name, b.Name)
}
