package szz

import (
	"maps"
	"math"
	"sort"

	"git-agent/gitext"
)

// The ways in which lines vote for their owners. Each is a share: over all
// candidates it sums to one, or to zero when there are no such lines.
type shareKind int

const (
	shareDeleted       shareKind = iota // deleted lines of code
	shareTrivial                        // deleted blank, comment, brace and import lines
	shareTokens                         // deleted tokens (MV-SZZ votes by token)
	shareRuns                           // changes in which it owns a deleted line
	shareContext                        // lines around every change, by 1/distance
	shareInsertion                      // lines around pure insertions, by 1/distance
	shareFunction                       // other lines of changed functions, by 1/distance
	shareRelated                        // lines near insertions, by the names they share with the added lines
	shareSecond                         // lines that the first owner had replaced
	shareNames                          // lines of other files that use the fix's rarer names
	shareCosmetic                       // deleted lines that the owner only moved or re-indented
	shareOrigin                         // deleted words, followed back through rewrites
	shareRelatedOrigin                  // words beside insertions that the added lines repeat, likewise
	shareGoneNewest                     // names that the fix takes out, for the last to bring them
	shareGoneFirst                      // the same, for the first
	shareFreshNewest                    // names that the fix adds, for the last to have brought them elsewhere
	shareFreshFirst                     // the same, for the first
	shareRestorer                       // names that the fix adds, for the last to have taken them out
	shareRestoredLines                  // lines that the fix adds, for the last to have taken them out
	shareSaid                           // names in the fix's message, for the last to bring them
	shareInside                         // names that the fix adds or takes out, for the last to bring them into the function
	numShares
)

// vote counts the lines that each candidate owns.
func (k *casework) vote() {
	for s := range k.shares {
		k.shares[s] = map[gitext.OID]float64{}
	}
	k.nearest = map[gitext.OID]float64{}
	k.owned, k.moved = map[gitext.OID]float64{}, map[gitext.OID]float64{}
	runOwners := map[int]map[gitext.OID]bool{}
	for i := range k.set.anchors {
		a := &k.set.anchors[i]
		if a.kind == LineCode {
			k.nearest[a.owner] = max(k.nearest[a.owner], 1/float64(1+a.distance))
		}
		switch a.role {
		case roleDeleted:
			k.voteDeleted(a)
			if runOwners[a.run] == nil {
				runOwners[a.run] = map[gitext.OID]bool{}
			}
			runOwners[a.run][a.owner] = true
		case roleContext:
			k.voteNear(a, shareContext)
			if a.inserts {
				k.voteNear(a, shareInsertion)
			}
			k.voteRelated(a)
		case roleFunction:
			k.voteNear(a, shareFunction)
			k.voteRelated(a)
		}
	}
	for _, owners := range runOwners {
		for o := range owners {
			k.shares[shareRuns][o] += 1 / float64(len(k.set.runs))
		}
	}
	for _, o := range k.set.second {
		k.shares[shareSecond][o]++
	}
	for _, n := range k.set.named {
		k.shares[shareNames][n.owner]++
	}
	for s, votes := range k.set.origins {
		maps.Copy(k.shares[s], votes)
	}
	for s := range k.shares {
		if shareKind(s) != shareRuns {
			normalise(k.shares[s])
		}
	}
}

func (k *casework) voteDeleted(a *anchor) {
	if a.kind != LineCode {
		k.shares[shareTrivial][a.owner]++
		return
	}
	k.nDel++
	k.owned[a.owner]++
	k.shares[shareDeleted][a.owner]++
	if c := k.pool.byOID[a.owner]; c.diff != nil {
		if h := c.diff.hunkAt(a.path, a.origLine); h != nil && h.cosmetic {
			k.shares[shareCosmetic][a.owner]++
			k.moved[a.owner]++
		}
	}
	kept := k.addedBy(a.run)
	for t, n := range namesOf(a.text) {
		if kept[t] == 0 {
			k.shares[shareTokens][a.owner] += float64(n)
		}
	}
}

// addedBy are the tokens that a run adds: counted once, since a run that
// rewrites a file has as many lines that ask for them.
func (k *casework) addedBy(run int) bag {
	if k.kept == nil {
		k.kept = map[int]bag{}
	}
	kept := k.kept[run]
	if kept == nil {
		kept = bag{}
		for _, l := range k.set.runs[run].added {
			kept.addCode(l.Text)
		}
		k.kept[run] = kept
	}
	return kept
}

func (k *casework) voteNear(a *anchor, s shareKind) {
	if a.kind == LineBlank || a.kind == LineComment {
		return
	}
	w := 1 / float64(a.distance)
	if a.kind == LineBrace {
		w /= 4
	}
	k.shares[s][a.owner] += w
}

// voteRelated weighs a neighbour by the names it shares with what the fix adds
// there: an added check guards the line that uses the same variable.
func (k *casework) voteRelated(a *anchor) {
	if a.kind != LineCode {
		return
	}
	line := namesOf(a.text)
	shared := 0.0
	for _, l := range k.set.runs[a.run].added {
		for t := range namesOf(l.Text) {
			if line[t] > 0 && len(t) > 2 {
				shared++
			}
		}
	}
	k.shares[shareRelated][a.owner] += shared / (1 + math.Log(float64(a.distance)))
}

func normalise(m map[gitext.OID]float64) {
	oids := make([]gitext.OID, 0, len(m))
	for o := range m {
		oids = append(oids, o)
	}
	sort.Slice(oids, func(i, j int) bool { return oids[i] < oids[j] })
	sum := 0.0
	for _, o := range oids { // in order: float addition does not commute
		sum += m[o]
	}
	for _, o := range oids {
		if sum > 0 {
			m[o] /= sum
		}
	}
}

func share(s shareKind) func(*casework, *candidate) float64 {
	return func(k *casework, c *candidate) float64 { return k.shares[s][c.oid] }
}

func top(s shareKind) func(*casework, *candidate) float64 {
	return func(k *casework, c *candidate) float64 {
		mine := k.shares[s][c.oid]
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
