package generate

import (
	"bytes"
	"fmt"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	// shareUncommitted is the weight of uncommitted changes as a cause of the failure, because
	// they are the user's last changes.
	shareUncommitted = 2.0
	maxUncommitted   = 12 // files
	// maxTogether bounds the files whose uncommitted changes are undone together, and maxBeforeAll
	// the candidates that come before that.
	maxTogether  = 50
	maxBeforeAll = 9
	// newerCommits is the factor for undoing HEAD, and recentCommits the factor for undoing one
	// of the maxRecent commits before it. A test is run most often after a change.
	newerCommits  = 4
	recentCommits = 2
	maxRecent     = 4
)

// uncommitted undoes the user's changes since the commit, in any file except tests, one file at a time.
func (g *generator) uncommitted() []item {
	var list []item
	for _, o := range g.in.Problem.Tree.Over {
		if len(list) >= maxUncommitted {
			break
		}
		before, ok := g.beforeUncommitted(o)
		if !ok {
			continue
		}
		if o.Mode == 0 {
			list = append(list, ready(Candidate{
				Files:  []gitext.Overlay{g.committedFile(o.Path, before)},
				Origin: "puts back the file, which is removed and not committed", Prior: priorFile * shareUncommitted, Kind: FileHunks, Location: -1, Line: 1,
			}))
			continue
		}
		list = append(list, item{prior: priorHunk * shareUncommitted, expand: func() []item { return g.undoUncommitted(o.Path, before) }})
	}
	return list
}

// beforeUncommitted returns the committed text of a file with uncommitted changes. It reports false for a test, a new file, and a
// file that is no source code or too large.
func (g *generator) beforeUncommitted(o gitext.Overlay) ([]byte, bool) {
	if source.FileKindOf(o.Path) != source.SourceFile || source.IsTestOf(o.Path, g.in.Problem.Test) {
		return nil, false
	}
	before, err := g.repo.BlobAt(g.ctx, g.tree.Commit, o.Path, maxFileBytes)
	return before, err == nil
}

// committedFile returns a removed file as it is in the commit.
func (g *generator) committedFile(path string, before []byte) gitext.Overlay {
	g.tree.list()
	return gitext.Overlay{Path: path, Mode: g.tree.modes[path], Content: before}
}

// uncommittedChange returns the uncommitted change of one file without its unit tests; nil if nothing else changed.
func (g *generator) uncommittedChange(path string, before []byte) *change {
	after, ok := g.tree.read(path)
	if !ok || bytes.Equal(before, after) {
		return nil
	}
	hunks := g.codeHunks(path, after, fix.HunksBetween(before, after))
	c := &change{blamed: blamed{path: path, previous: path, share: 1}, after: source.SplitLines(after), hunks: hunks}
	for i := range c.hunks {
		c.mine = append(c.mine, i)
	}
	if len(hunks) == 0 {
		return nil
	}
	return c
}

// undoUncommitted undoes the changes of one file.
func (g *generator) undoUncommitted(path string, before []byte) []item {
	c := g.uncommittedChange(path, before)
	if c == nil || len(c.hunks) > maxHunks {
		return nil
	}
	content, _ := g.tree.read(path)
	s := &site{index: -1, path: path, content: content, lines: c.after, share: 1}
	list := g.pieces(s, c, shareUncommitted)
	prior := priorFile
	if len(c.mine) > 2 {
		prior = priorFunction // several are rather one change
	}
	all := c.without(c.mine)
	return append(list, g.merged(s, c, FileHunks, prior*shareUncommitted, "all uncommitted changes of the file", all)...)
}

// withAllUncommitted adds the candidate that undoes the uncommitted changes of all files together, if there are several: it comes
// behind those that undo all of one file.
func (g *generator) withAllUncommitted(list []Candidate) []Candidate {
	all := Candidate{Prior: priorFile * shareUncommitted, Kind: FileHunks, Location: -1, Line: 1}
	for _, o := range g.in.Problem.Tree.Over {
		before, ok := g.beforeUncommitted(o)
		if !ok {
			continue
		}
		undone, line := g.committedFile(o.Path, before), 1
		if o.Mode != 0 {
			c := g.uncommittedChange(o.Path, before)
			if c == nil {
				continue
			}
			lines := c.without(c.mine)
			content, _ := g.tree.read(o.Path)
			content, err := g.repo.MergeFile(g.ctx, content, joinLines(c.after), joinLines(lines))
			if err != nil {
				return list
			}
			undone, line = g.tree.overlay(o.Path, content), firstDifference(c.after, lines)
		}
		if len(all.Files) == 0 {
			all.Line = line // for a reader
		}
		if all.Files = append(all.Files, undone); len(all.Files) > maxTogether {
			return list
		}
	}
	if len(all.Files) < 2 || !g.admit(&all) {
		return list
	}
	all.Origin = fmt.Sprintf("reverts all uncommitted changes of %d files", len(all.Files))
	at := len(all.Files)
	for i, c := range list {
		if c.Kind == FileHunks {
			at = max(at, i+1)
		}
	}
	return slices.Insert(list, min(at, maxBeforeAll, len(list)), all)
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
