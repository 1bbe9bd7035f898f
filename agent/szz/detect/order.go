package detect

import (
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/rank"
	"git-agent/gitext"
)

// orderNotes says what the dates of a list do not: which of the commits of one day
// came last, which one is the fix's parent, and which takes another back.
func (d *investigation) orderNotes(i int) string {
	c := d.ranking[i].Candidate
	s := ""
	if c.OID == d.fc.Parent {
		s += "; the parent of the fix"
	}
	if o := d.justBefore(c); o != nil {
		s += "; landed after " + d.names.of[o.OID]
	}
	for _, j := range d.listed() {
		if j.Candidate != c && revertsCommit(c.Commit, j.Candidate.Commit) {
			s += "; reverts " + d.names.of[j.Candidate.OID]
		}
	}
	return s
}

// justBefore is the listed candidate of the same day that landed last before c.
func (d *investigation) justBefore(c *candidate.Candidate) *candidate.Candidate {
	var last *candidate.Candidate
	for _, j := range d.listed() {
		if j.Candidate != c && sameDay(j.Candidate.Commit, c.Commit) && rank.LandedAfter(c, j.Candidate) && (last == nil || rank.LandedAfter(j.Candidate, last)) {
			last = j.Candidate
		}
	}
	return last
}

func sameDay(x, y gitext.Commit) bool {
	const all = 24 * time.Hour
	return x.Committer.Time.UTC().Truncate(all).Equal(y.Committer.Time.UTC().Truncate(all))
}

// revertsCommit reports whether x says of itself that it takes y back, in the
// words that git revert writes. Both precede the fix, so that this tells
// nothing that the fix's own message would.
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

// shown are the candidates whose changes the first prompt shows. Where the
// first is doubtful, those that wrote lines near the fix are shown however low
// they stand, and those that are only like it are not.
func (d *investigation) shown() []rank.Ranked {
	const sure = 0.6
	var out []rank.Ranked
	for i, j := range d.listed() {
		near := d.wroteNear(j.Candidate)
		switch {
		case len(out) == excerpted:
			return out
		case !near && d.tie(j.Candidate) == onlyAlike:
		case i == 0 || j.Probability >= minExcerpt || near && d.ranking[0].Probability < sure:
			out = append(out, j)
		}
	}
	if len(out) == 0 && len(d.ranking) > 0 {
		return d.ranking[:1]
	}
	return out
}

// wroteNear reports whether a candidate wrote lines that the fix removes or
// that stand beside what it changes.
func (d *investigation) wroteNear(c *candidate.Candidate) bool {
	for i := range d.k.Set.Anchors {
		if a := &d.k.Set.Anchors[i]; a.Owner == c.OID && a.Kind == source.LineCode && a.Role <= candidate.RoleContext {
			return true
		}
	}
	return false
}
