package history

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/source"
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

// massFiles is how many files a commit changes that says nothing about one of them, such
// as an import or a reformat.
const massFiles = 100

// kindWeight says how much a kind of line tells about behaviour.
var kindWeight = map[source.LineKind]float64{
	source.LineCode: 1, source.LineImport: 0.2, source.LineComment: 0.1, source.LineBrace: 0.1, source.LineBlank: 0.02,
}

// rank returns the owners of the suspected lines, the most relevant first.
//
// The score of a commit is the sum over the locations of the location's weight times the
// share of its suspicion that the commit's lines have; a line has the weight of its hot
// range and of its kind.
func (f *finder) rank(ctx context.Context, loc []fix.Location) ([]*candidate, error) {
	all, err := f.candidates(ctx)
	if err != nil {
		return nil, err
	}
	total := make([]float64, len(loc))
	for _, l := range f.lines {
		if l.owner.Owner != "" {
			total[l.location] += l.weight * kindWeight[l.kind]
		}
	}
	newest := time.Time{}
	for _, c := range all {
		if t := c.commit.Committer.Time; t.After(newest) {
			newest = t
		}
	}
	for _, c := range all {
		for _, l := range c.lines {
			c.score += locationWeight(l.location) * l.weight * kindWeight[l.kind] / total[l.location]
		}
		c.score *= recency(newest.Sub(c.commit.Committer.Time))
	}
	slices.SortStableFunc(all, func(a, b *candidate) int {
		switch {
		case a.root != b.root:
			if a.root {
				return 1
			}
			return -1
		case a.score != b.score:
			return cmp.Compare(b.score, a.score)
		}
		return b.commit.Committer.Time.Compare(a.commit.Committer.Time)
	})
	return all, nil
}

// locationWeight is the weight of the location at an index of the list.
func locationWeight(index int) float64 { return 1 / float64(1+index) }

// recency is the weight of a commit by its age before the newest candidate.
func recency(age time.Duration) float64 {
	years := age.Hours() / 24 / 365
	return 1 / (1 + math.Max(years, 0))
}

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
