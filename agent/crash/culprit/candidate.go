package culprit

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A candidate is a commit that may be a suspect, with its findings.
type candidate struct {
	gitext.Commit
	hits    []*hit // by falling weight of the region
	history []past
	changed string // the file that it changed, if it is among the latest commits of the heaviest files
}

// A hit holds the lines of a region that a commit owns.
type hit struct {
	region  *region
	lines   []suspect.OwnedLine
	share   float64 // of the region's lines, by their kinds
	around  float64 // share weighted by the distance of the lines to frames
	exact   *place  // the heaviest place whose line it owns
	nearest *place  // the heaviest place by closeness
	near    float64 // the weight of nearest, reduced for each line between
	between int     // lines between nearest and the closest line
}

// past is the position of a commit in the history of a region.
type past struct {
	region *region
	order  int // number of later commits that changed the region
}

// A gathering collects the candidates of a report.
type gathering struct {
	repo    *gitext.Repo
	commit  gitext.Commit // that crashed
	regions []*region
	byOID   map[gitext.OID]*candidate
	order   []gitext.OID
	words   source.Bag // of the report
	since   *since
	until   time.Time
	ignored []gitext.OID // commits that the project excludes from blame
	notes   []string
}

func (g *gathering) at(oid gitext.OID) *candidate {
	c := g.byOID[oid]
	if c == nil {
		c = &candidate{}
		c.OID = oid
		g.byOID[oid] = c
		g.order = append(g.order, oid)
	}
	return c
}

// takeOwners makes candidates of the owners of the lines of all regions.
func (g *gathering) takeOwners() {
	for _, r := range g.regions {
		all := 0.0
		hits := map[gitext.OID]*hit{}
		for _, l := range r.lines {
			h := hits[l.Owner]
			if h == nil {
				h = &hit{region: r}
				hits[l.Owner] = h
				r.hits = append(r.hits, h)
				c := g.at(l.Owner)
				c.hits = append(c.hits, h)
			}
			w := lineWeight(l.Kind)
			all += w
			h.share += w
			h.take(l)
		}
		near := r.closeShares()
		for _, h := range hits {
			h.share /= all
			h.around = near[h]
		}
	}
}

// lineWeight returns the weight of a line of a kind.
func lineWeight(k source.LineKind) float64 {
	switch k {
	case source.LineBlank:
		return 0.02
	case source.LineComment, source.LineBrace, source.LineImport:
		return 0.15
	}
	return 1
}

// closeness is the factor by which a place's weight falls with each line between the place and
// the owned line.
const closeness = 0.8

// take adds a line to a hit.
func (h *hit) take(l suspect.OwnedLine) {
	h.lines = append(h.lines, l)
	for i := range h.region.places {
		p := &h.region.places[i]
		if p.line == 0 {
			continue
		}
		if l.Line == p.line && (h.exact == nil || p.weight > h.exact.weight) {
			h.exact = p
		}
		w := p.weight * lineWeight(l.Kind)
		between := max(l.Line-p.line, p.line-l.Line)
		for range min(between, 40) {
			w *= closeness
		}
		if w > h.near {
			h.near, h.nearest, h.between = w, p, between
		}
	}
}

// wide is the factor by which a line's weight falls with each line between it and the
// closest frame.
const wide = 0.93

// closeShares returns the share of each owner in a region's lines. Lines close to a frame weigh
// most.
func (r *region) closeShares() map[*hit]float64 {
	out := map[*hit]float64{}
	all := 0.0
	for _, h := range r.hits {
		for _, l := range h.lines {
			w := lineWeight(l.Kind) * math.Pow(wide, float64(min(r.distance(l.Line), 60)))
			out[h] += w
			all += w
		}
	}
	for h := range out {
		out[h] /= all
	}
	return out
}

// read reads the commits of all candidates. It drops merges and unreadable commits.
func (g *gathering) read(ctx context.Context) ([]*candidate, error) {
	var out []*candidate
	boundary := g.repo.ShallowBoundary()
	for _, oid := range g.order {
		c := g.byOID[oid]
		commit, err := g.repo.Commit(ctx, oid)
		if gitext.Unreadable(err) || boundary[oid] {
			continue
		}
		if err != nil {
			return nil, err
		}
		c.Commit = commit
		if !g.until.IsZero() && c.Committer.Time.After(g.until) && c.Author.Time.After(g.until) {
			continue
		}
		if len(c.Parents) > 1 || !g.since.allows(oid) || slices.Contains(g.ignored, oid) {
			continue
		}
		out = append(out, c)
	}
	return out, nil
}

// age returns the age of a commit at the time of the crash.
func (g *gathering) age(c *candidate) time.Duration {
	return max(g.commit.Committer.Time.Sub(c.Committer.Time), 0)
}

// messageOf returns the words of a commit's message, without trailers.
func messageOf(c *candidate) source.Bag {
	b := source.Bag{}
	for line := range strings.Lines(source.FirstBytes(c.Message, 4000)) {
		if key, _, ok := strings.Cut(line, ": "); ok && !strings.Contains(key, " ") && strings.Contains(key, "-") {
			continue
		}
		b.AddWords(line)
	}
	return b
}
