package culprit

import (
	"cmp"
	"context"
	"fmt"
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
	files   []fileChange   // of the heaviest files together
}

// A fileChange is a commit that changed one of the heaviest files.
type fileChange struct {
	commit gitext.OID
	path   string // of the first such file
}

// readHistories reads the latest commits that changed the heaviest regions and files. A commit
// that only removed lines owns none, so blame does not find it.
func (g *gathering) readHistories(ctx context.Context) (h histories, err error) {
	for _, r := range g.regions[:min(len(g.regions), historyRegions)] {
		opt := gitext.LogLOptions{Tip: g.commit.OID, Path: r.path, Start: r.Start, End: r.End, Max: historyCommits}
		oids, err := readable(g.repo.LogL(ctx, opt), func(e gitext.LogLEntry) gitext.OID { return e.OID })
		if err != nil {
			return h, err
		}
		h.regions = append(h.regions, oids)
	}
	h.files, err = readable(g.repo.Log(ctx, g.latest()), func(e gitext.LogEntry) fileChange {
		path := g.regions[0].path
		if len(e.Files) > 0 {
			path = cmp.Or(e.Files[0].NewPath, e.Files[0].OldPath)
		}
		return fileChange{e.OID, path}
	})
	return h, err
}

// latest returns the options of the log of the heaviest files.
func (g *gathering) latest() gitext.LogOptions {
	opt := gitext.LogOptions{Tip: g.commit.OID, Paths: g.heaviestFiles(), NoMerges: true, Max: logCommits, Files: true, NoRenames: true}
	if g.since != nil {
		opt.Not, opt.Max = []gitext.OID{g.since.good}, sinceCommits
	}
	return opt
}

// latestCommand returns the command that shows the log of latest.
func (g *gathering) latestCommand() string {
	opt := g.latest()
	args := []string{"log", "--oneline", "--no-merges", fmt.Sprintf("-%d", opt.Max), opt.Tip.Short()}
	for _, oid := range opt.Not {
		args = append(args, "^"+oid.Short())
	}
	return command(append(append(args, "--"), opt.Paths...)...)
}

// readable returns what of takes from the entries of a log, up to the first unreadable commit.
func readable[T, U any](log iter.Seq2[T, error], of func(T) U) ([]U, error) {
	var out []U
	for e, err := range log {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		out = append(out, of(e))
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
	for _, f := range h.files {
		g.at(f.commit).changed = f.path
	}
}
