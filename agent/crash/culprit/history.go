package culprit

import (
	"context"
	"iter"
	"slices"

	"git-agent/gitext"
)

// Limits on the histories that are read. If a good commit is known, more of the commits after it
// are read.
const (
	historyRegions = 2
	historyCommits = 4
	logFiles       = 2
	logCommits     = 10
	sinceCommits   = 60
)

// histories holds the latest commits that changed functions and files, the newest first.
type histories struct {
	regions [][]gitext.OID // of the heaviest regions
	files   []gitext.OID   // of the heaviest files together
}

// readHistories reads the latest commits that changed the heaviest regions and files. A commit
// that only removed lines owns none, so blame does not find it.
func (g *gathering) readHistories(ctx context.Context) (h histories, err error) {
	for _, r := range g.regions[:min(len(g.regions), historyRegions)] {
		opt := gitext.LogLOptions{Tip: g.commit.OID, Path: r.path, Start: r.Start, End: r.End, Max: historyCommits}
		oids, err := oidsOf(g.repo.LogL(ctx, opt), func(e gitext.LogLEntry) gitext.OID { return e.OID })
		if err != nil {
			return h, err
		}
		h.regions = append(h.regions, oids)
	}
	opt := gitext.LogOptions{Tip: g.commit.OID, Paths: g.heaviestFiles(), NoMerges: true, Max: logCommits}
	if g.since != nil {
		opt.Not, opt.Max = []gitext.OID{g.since.good}, sinceCommits
	}
	h.files, err = oidsOf(g.repo.Log(ctx, opt), func(e gitext.LogEntry) gitext.OID { return e.OID })
	return h, err
}

// oidsOf returns the commits of a log up to the first unreadable one.
func oidsOf[T any](log iter.Seq2[T, error], oid func(T) gitext.OID) ([]gitext.OID, error) {
	var out []gitext.OID
	for e, err := range log {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, oid(e))
	}
	return out, nil
}

func (g *gathering) heaviestFiles() []string {
	var paths []string
	for _, r := range g.regions {
		if !slices.Contains(paths, r.path) && len(paths) < logFiles {
			paths = append(paths, r.path)
		}
	}
	return paths
}

// takeHistories makes candidates of the commits in histories.
func (g *gathering) takeHistories(h histories) {
	for i, oids := range h.regions {
		for j, oid := range oids {
			c := g.at(oid)
			c.history = append(c.history, past{g.regions[i], j})
		}
	}
	for _, oid := range h.files {
		g.at(oid)
	}
}
