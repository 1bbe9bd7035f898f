package rank

import (
	"context"
	"maps"
	"math"
	"sort"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/gitext"
)

// vote computes the shares of lines that the candidates own. It ends early with ctx.
func (k *Case) vote(ctx context.Context) {
	for s := range k.shares {
		k.shares[s] = map[gitext.OID]float64{}
	}
	k.nearest = map[gitext.OID]float64{}
	k.owned, k.moved = map[gitext.OID]float64{}, map[gitext.OID]float64{}
	changeOwners := map[int]map[gitext.OID]bool{}
	for i := range k.Set.Anchors {
		if ctx.Err() != nil {
			return
		}
		a := &k.Set.Anchors[i]
		if a.Kind == source.LineCode {
			k.nearest[a.Owner] = max(k.nearest[a.Owner], 1/float64(1+a.Distance))
		}
		switch a.Role {
		case candidate.RoleDeleted:
			k.voteDeleted(a)
			if changeOwners[a.Change] == nil {
				changeOwners[a.Change] = map[gitext.OID]bool{}
			}
			changeOwners[a.Change][a.Owner] = true
		case candidate.RoleContext:
			k.voteNear(a, candidate.ShareContext)
			if a.Inserts {
				k.voteNear(a, candidate.ShareInsertion)
			}
			k.voteRelated(a)
		case candidate.RoleFunction:
			k.voteNear(a, candidate.ShareFunction)
			k.voteRelated(a)
		}
	}
	k.voteBeside()
	for _, owners := range changeOwners {
		for o := range owners {
			k.shares[candidate.ShareChanges][o] += 1 / float64(len(k.Set.Changes))
		}
	}
	for _, o := range k.Set.Second {
		k.shares[candidate.ShareSecond][o]++
	}
	for _, owner := range k.Set.Elsewhere {
		k.shares[candidate.ShareNames][owner]++
	}
	for s, votes := range k.Set.Origins {
		maps.Copy(k.shares[s], votes)
	}
	for s := range k.shares {
		if candidate.ShareKind(s) != candidate.ShareChanges {
			normalise(k.shares[s])
		}
	}
}

// voteDeleted counts a deleted line for its owner.
func (k *Case) voteDeleted(a *candidate.Anchor) {
	if a.Kind != source.LineCode {
		k.shares[candidate.ShareTrivial][a.Owner]++
		return
	}
	k.nDel++
	k.owned[a.Owner]++
	k.shares[candidate.ShareDeleted][a.Owner]++
	if c := k.pool.ByOID[a.Owner]; c.Diff != nil {
		if h := c.Diff.HunkAt(a.Path, a.OrigLine); h != nil && h.Cosmetic && !k.Set.Spaces {
			k.shares[candidate.ShareCosmetic][a.Owner]++
			k.moved[a.Owner]++
		}
	}
	kept := k.addedIn(a.Change)
	for t, n := range source.CodeWordsOf(a.Text) {
		if kept[t] == 0 {
			k.shares[candidate.ShareTokens][a.Owner] += float64(n)
		}
	}
}

// voteBeside counts the removed lines of build and data files for their owners.
func (k *Case) voteBeside() {
	if k.Set.Beside == nil {
		return
	}
	for i := range k.Set.Beside.Anchors {
		if a := &k.Set.Beside.Anchors[i]; a.Role == candidate.RoleDeleted && a.Kind == source.LineCode {
			k.shares[candidate.ShareBeside][a.Owner]++
		}
	}
}

// addedIn returns the tokens that a change adds. It counts them once: a change that
// rewrites a file has very many deleted lines that need them.
func (k *Case) addedIn(change int) source.Bag {
	if k.addedByChange == nil {
		k.addedByChange = map[int]source.Bag{}
	}
	kept := k.addedByChange[change]
	if kept == nil {
		kept = source.Bag{}
		for _, l := range k.Set.Changes[change].Added {
			kept.AddCode(l.Text)
		}
		k.addedByChange[change] = kept
	}
	return kept
}

// namedIn returns, for each name of at least three bytes, the number of lines with the
// name that a change adds. Like addedIn it counts once.
func (k *Case) namedIn(change int) map[string]int {
	if k.namedByChange == nil {
		k.namedByChange = map[int]map[string]int{}
	}
	lines := k.namedByChange[change]
	if lines == nil {
		lines = map[string]int{}
		for _, l := range k.Set.Changes[change].Added {
			for t := range source.CodeWordsOf(l.Text) {
				if len(t) > 2 {
					lines[t]++
				}
			}
		}
		k.namedByChange[change] = lines
	}
	return lines
}

// voteNear counts a line near a change for its owner, by its closeness.
func (k *Case) voteNear(a *candidate.Anchor, s candidate.ShareKind) {
	if a.Kind == source.LineBlank || a.Kind == source.LineComment {
		return
	}
	w := 1 / float64(a.Distance)
	if a.Kind == source.LineBrace {
		w /= 4
	}
	k.shares[s][a.Owner] += w
}

// voteRelated counts a line near a change by the names that it shares with the added
// lines: an added check guards the line that uses the same variable.
func (k *Case) voteRelated(a *candidate.Anchor) {
	if a.Kind != source.LineCode {
		return
	}
	shared := 0.0
	if lines := k.namedIn(a.Change); len(lines) > 0 {
		for t := range source.CodeWordsOf(a.Text) {
			shared += float64(lines[t])
		}
	}
	k.shares[candidate.ShareRelated][a.Owner] += shared / (1 + math.Log(float64(a.Distance)))
}

// normalise divides the values by their sum.
func normalise(m map[gitext.OID]float64) {
	oids := make([]gitext.OID, 0, len(m))
	for o := range m {
		oids = append(oids, o)
	}
	sort.Slice(oids, func(i, j int) bool { return oids[i] < oids[j] })
	sum := 0.0
	for _, o := range oids { // in order, because the sum of floats depends on it
		sum += m[o]
	}
	for _, o := range oids {
		if sum > 0 {
			m[o] /= sum
		}
	}
}

// share returns the feature of a candidate's share.
func share(s candidate.ShareKind) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 { return k.shares[s][c.OID] }
}

// top returns the feature that is 1 for the candidates with the largest share.
func top(s candidate.ShareKind) func(*Case, *candidate.Candidate) float64 {
	return func(k *Case, c *candidate.Candidate) float64 {
		mine := k.shares[s][c.OID]
		if mine == 0 {
			return 0
		}
		for _, v := range k.shares[s] {
			if v > mine {
				return 0
			}
		}
		return 1
	}
}
