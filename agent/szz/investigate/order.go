package investigate

import (
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// minOrdered is the least probability of a candidate with a note about the commit of the
// same day before it.
const minOrdered = 0.05

// orderNotes adds facts about the i-th candidate to the dates in the list: whether it is
// the fix's parent, which listed commit of the same day landed before it, and which one
// it reverts.
func (d *investigation) orderNotes(i int) string {
	c := d.ranking[i].Candidate
	s := ""
	if c.OID == d.fc.Parent {
		s += "; the parent of the fix"
	}
	if o := d.justBefore(c); o != nil && d.ranking[i].Probability >= minOrdered {
		s += "; landed after " + d.names.of[o.OID]
	}
	for _, j := range d.listed() {
		if j.Candidate != c && revertsCommit(c.Commit, j.Candidate.Commit) {
			s += "; reverts " + d.names.of[j.Candidate.OID]
		}
	}
	return s
}

// justBefore returns the last listed candidate of the same day that landed before c.
func (d *investigation) justBefore(c *candidate.Candidate) *candidate.Candidate {
	var last *candidate.Candidate
	for _, j := range d.listed() {
		if j.Candidate != c && sameDay(j.Candidate.Commit, c.Commit) && rank.LandedAfter(c, j.Candidate) &&
			(last == nil || rank.LandedAfter(j.Candidate, last)) {
			last = j.Candidate
		}
	}
	return last
}

func sameDay(x, y gitext.Commit) bool {
	const all = 24 * time.Hour
	return x.Committer.Time.UTC().Truncate(all).Equal(y.Committer.Time.UTC().Truncate(all))
}

// revertsCommit reports whether the message of x says, in the words of git revert, that x
// reverts y. Both precede the fix, so this reveals nothing from the fix's message.
func revertsCommit(x, y gitext.Commit) bool {
	if title, ok := strings.CutPrefix(x.Subject(), `Revert "`); ok && strings.TrimSuffix(title, `"`) == y.Subject() {
		return !y.Committer.Time.After(x.Committer.Time)
	}
	for _, m := range szz.RevertOf().FindAllStringSubmatch(x.Body(), -1) {
		if strings.HasPrefix(string(y.OID), strings.ToLower(m[1])) {
			return true
		}
	}
	return false
}

// shown returns the candidates with an excerpt in the first prompt: the first one, the
// probable ones, and the one that the fix's message describes. If the first is doubtful,
// improbable candidates that wrote lines near the fix or changed its functions are shown
// too. Candidates that only read like the fix are shown if they lead.
func (d *investigation) shown() []rank.Ranked {
	const sure = 0.6
	var out []rank.Ranked
	described := false
	for i, j := range d.listed() {
		near := (d.wroteNear(j.Candidate) || d.changedFunction(j.Candidate)) && (i == 0 || j.Candidate.Files <= maxNearFiles)
		show := i == 0 || j.Probability >= minExcerpt || near && d.ranking[0].Probability < sure
		if !near && j.Probability < leading && d.tie(j.Candidate) == onlyAlike {
			show = false
		}
		if show && len(out) < excerpted {
			out = append(out, j)
			described = described || d.isDescribed(j)
		}
	}
	if d.described >= 0 && !described {
		out = append(out, d.ranking[d.described])
	}
	if len(out) == 0 && len(d.ranking) > 0 {
		return d.ranking[:1]
	}
	return out
}

// maxNearFiles is the largest number of files in a commit that is shown for its lines
// near the fix. Larger commits rewrite all lines of a kind.
const maxNearFiles = 60

// changedFunction reports whether a candidate changed a function that the fix
// changes.
func (d *investigation) changedFunction(c *candidate.Candidate) bool {
	for path, hunks := range c.Diff.Hunks {
		for i := range hunks {
			if h := &hunks[i]; d.k.Paths[path] && h.Function != "" && !h.Cosmetic && d.k.Set.Functions[h.Function] {
				return true
			}
		}
	}
	return false
}

// wroteNear reports whether a candidate wrote lines that the fix removes or lines beside
// its changes.
func (d *investigation) wroteNear(c *candidate.Candidate) bool {
	for i := range d.k.Set.Anchors {
		if a := &d.k.Set.Anchors[i]; a.Owner == c.OID && a.Kind == source.LineCode && a.Role <= candidate.RoleContext {
			return true
		}
	}
	return false
}
