package generate

import (
	"bytes"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// shareUncommitted is the weight of uncommitted changes as a cause of the failure, because
	// they are the user's last changes.
	shareUncommitted = 2.0
	maxUncommitted   = 12 // files
	// newerCommits is the factor for undoing HEAD, and recentCommits the factor for undoing one
	// of the maxRecent commits before it. A test is run most often after a change.
	newerCommits  = 4
	recentCommits = 2
	maxRecent     = 4
)

// uncommitted undoes the user's changes since the commit, in any file except tests.
func (g *generator) uncommitted() []item {
	var list []item
	for _, o := range g.in.Problem.Tree.Over {
		if source.FileKindOf(o.Path) != source.SourceFile || source.IsTestOf(o.Path, g.in.Problem.Test) || len(list) >= maxUncommitted {
			continue
		}
		before, err := g.repo.BlobAt(g.ctx, g.tree.Commit, o.Path, maxFileBytes)
		if err != nil {
			continue // the file is new, or too large
		}
		if o.Mode == 0 {
			g.tree.list()
			list = append(list, ready(Candidate{
				Files:  []gitext.Overlay{{Path: o.Path, Mode: g.tree.modes[o.Path], Content: before}},
				Origin: "puts back the file, which is removed and not committed", Prior: priorFile * shareUncommitted, Kind: FileHunks, Location: -1, Line: 1,
			}))
			continue
		}
		list = append(list, item{prior: priorHunk * shareUncommitted, expand: func() []item { return g.undoUncommitted(o.Path, before) }})
	}
	return list
}

// undoUncommitted undoes the changes of one file.
func (g *generator) undoUncommitted(path string, before []byte) []item {
	after, ok := g.tree.read(path)
	if !ok || bytes.Equal(before, after) {
		return nil
	}
	hunks := g.codeHunks(path, after, fix.HunksBetween(before, after))
	c := &change{blamed: blamed{path: path, previous: path, share: 1}, after: source.SplitLines(after), hunks: hunks}
	if len(c.hunks) == 0 || len(c.hunks) > maxHunks {
		return nil
	}
	for i := range c.hunks {
		c.mine = append(c.mine, i)
	}
	s := &site{index: -1, path: path, content: after, lines: c.after, share: 1}
	list := g.pieces(s, c, shareUncommitted)
	prior := priorFile
	if len(c.mine) > 2 {
		prior = priorFunction // several are rather one change
	}
	all := c.without(c.mine)
	return append(list, g.merged(s, c, FileHunks, prior*shareUncommitted, "all uncommitted changes of the file", all)...)
}

// committed maps the line numbers of a function at the commit to the present ones. Uncommitted
// lines are left out.
func (g *generator) committed(s *site) map[int]int {
	now := map[int]int{}
	if !g.tree.changed(s.path) {
		for line := s.extent.Start; line <= s.extent.End; line++ {
			now[line] = line
		}
		return now
	}
	before, err := g.repo.BlobAt(g.ctx, g.tree.Commit, s.path, maxFileBytes)
	if err != nil {
		return nil // the file is new, or too large
	}
	for was, is := range fix.KeptLines(before, fix.HunksBetween(before, s.content)) {
		if is >= s.extent.Start && is <= s.extent.End {
			now[was] = is
		}
	}
	return now
}

// newness returns the factor for a commit's probability of breaking the test, larger for the
// last commits.
func (g *generator) newness(commit gitext.OID) float64 {
	if g.recent == nil {
		g.recent = map[gitext.OID]float64{}
		factor, at := float64(newerCommits), g.tree.Commit
		for range maxRecent + 1 {
			g.recent[at] = factor
			c, err := g.repo.Commit(g.ctx, at)
			if err != nil || len(c.Parents) == 0 {
				break
			}
			factor, at = recentCommits, c.Parents[0]
		}
	}
	return max(g.recent[commit], 1)
}

// source names the commit or the changes that are undone.
func (b blamed) source() string {
	if b.commit == "" {
		return "the uncommitted changes"
	}
	return b.commit.Short()
}
