package suspect

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// This file looks through commits that took lines from other files: that split a file, or
// moved a function to another one. To git blame such a commit owns what it moved.

// A Move says from where a commit took a line.
type Move struct {
	Left OwnedLine  // the line as the commit left it, which owned it
	From gitext.OID // the parent of the commit
	Path string     // the file in From
	Line int        // the line in From, from 1
}

// LeftBy returns the line as a commit left it that wrote or moved it.
func (l *OwnedLine) LeftBy(commit gitext.OID) (OwnedLine, bool) {
	for l.Owner != commit {
		if l.Move == nil {
			return OwnedLine{}, false
		}
		l = &l.Move.Left
	}
	return *l, true
}

// Blamed returns the commit that git blame names: the last one that moved the line, or its writer.
func (l *OwnedLine) Blamed() gitext.OID {
	for l.Move != nil {
		l = &l.Move.Left
	}
	return l.Owner
}

// Bounds of the search for moved lines.
const (
	maxMoves      = 3        // moves of one line that are looked through
	maxMovers     = 8        // commits and files in which moved lines are looked for, each time
	maxMoverFiles = 200      // files that such a commit changes
	maxMovedBytes = 16 << 20 // of the files from which it took lines
)

// FindWriters gives lines that their owner took from another file to the commit that
// wrote them there, and sets their Move. git decides which lines these are (blame -C);
// what the owner only copied stays its own. Lines whose history this clone lacks stay as
// they are.
func FindWriters(ctx context.Context, repo *gitext.Repo, lines []*OwnedLine) error {
	for range maxMoves {
		movers, err := moversOf(ctx, repo, lines)
		if err != nil {
			return err
		}
		g, gctx := errgroup.WithContext(ctx)
		g.SetLimit(blamesAtOnce)
		for _, m := range movers {
			g.Go(func() error { return m.lookThrough(gctx, repo) })
		}
		if err := g.Wait(); err != nil {
			return err
		}
		lines = nil
		for _, m := range movers {
			lines = append(lines, m.moved...)
		}
	}
	return nil
}

// A mover is a commit that may have moved lines to a file.
type mover struct {
	commit, parent gitext.OID
	path           string
	lines          []*OwnedLine // of the file, that the commit owns
	moved          []*OwnedLine // those among them that it moved
}

// moversOf groups lines by their owners and files, and keeps the groups with most lines
// whose owner has one parent and changes another file of the same kind.
func moversOf(ctx context.Context, repo *gitext.Repo, lines []*OwnedLine) ([]*mover, error) {
	type place struct {
		commit gitext.OID
		path   string
	}
	groups, owners := map[place]*mover{}, map[gitext.OID]bool{}
	for _, l := range lines {
		at := place{l.Owner, l.Path}
		if groups[at] == nil {
			groups[at] = &mover{commit: l.Owner, path: l.Path}
		}
		groups[at].lines = append(groups[at].lines, l)
		owners[l.Owner] = true
	}
	commits := slices.Sorted(maps.Keys(owners))
	touched, err := repo.Touched(ctx, commits, maxMoverFiles)
	if err != nil {
		return nil, err
	}
	read, err := repo.Commits(ctx, commits)
	if err != nil {
		return nil, err
	}
	parents := map[gitext.OID]gitext.OID{}
	for i, c := range read {
		if len(c.Parents) == 1 {
			parents[commits[i]] = c.Parents[0]
		}
	}
	var movers []*mover
	for _, m := range groups {
		m.parent = parents[m.commit]
		if m.parent != "" && m.mayMove(touched[m.commit]) {
			movers = append(movers, m)
		}
	}
	slices.SortFunc(movers, func(a, b *mover) int {
		return cmp.Or(len(b.lines)-len(a.lines), cmp.Compare(a.commit, b.commit), cmp.Compare(a.path, b.path))
	})
	return movers[:min(len(movers), maxMovers)], nil
}

// mayMove reports whether the commit can have taken lines from another file of the same kind.
func (m *mover) mayMove(t gitext.Touched) bool {
	kind := source.FileKindOf(m.path)
	return t.Files <= maxMoverFiles && slices.ContainsFunc(t.Paths, func(path string) bool {
		return path != m.path && source.FileKindOf(path) == kind
	})
}

// lookThrough finds the lines that the commit moved, and their owners before it.
func (m *mover) lookThrough(ctx context.Context, repo *gitext.Repo) error {
	before, err := m.before(ctx, repo)
	if gitext.Unreadable(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		old := before[path]
		blamed, err := repo.Blame(ctx, m.parent, path, gitext.BlameOptions{Ranges: merge(rangesOf(old)), IgnoreSpace: true})
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, b := range blamed {
			if b.Boundary {
				continue // the writer may be older than this clone
			}
			for _, l := range old[b.Line] {
				l.Move = &Move{Left: *l, From: m.parent, Path: path, Line: b.Line}
				l.own(b)
				m.moved = append(m.moved, l)
			}
		}
	}
	return nil
}

// before maps the paths of other files, and the numbers of lines that the commit removed
// there, to the lines that it made of them.
func (m *mover) before(ctx context.Context, repo *gitext.Repo) (map[string]map[int][]*OwnedLine, error) {
	own := map[int][]*OwnedLine{}
	for _, l := range m.lines {
		own[l.OrigLine] = append(own[l.OrigLine], l)
	}
	blamed, err := repo.Blame(ctx, m.commit, m.path, gitext.BlameOptions{
		Ranges: merge(rangesOf(own)), IgnoreSpace: true, Copies: 1, Since: m.parent,
	})
	if err != nil {
		return nil, err
	}
	from := map[string]map[int][]*OwnedLine{}
	for _, b := range blamed {
		if b.Commit != m.parent || b.Path == m.path || own[b.Line] == nil {
			continue
		}
		if from[b.Path] == nil {
			from[b.Path] = map[int][]*OwnedLine{}
		}
		from[b.Path][b.OrigLine] = append(from[b.Path][b.OrigLine], own[b.Line]...)
	}
	return from, m.keepRemoved(ctx, repo, from)
}

// keepRemoved deletes the lines from a map that the commit left where they were.
func (m *mover) keepRemoved(ctx context.Context, repo *gitext.Repo, from map[string]map[int][]*OwnedLine) error {
	if len(from) == 0 {
		return nil
	}
	patch, err := repo.Patch(ctx, m.parent, m.commit, gitext.PatchOptions{Paths: slices.Sorted(maps.Keys(from)), MaxBytes: maxMovedBytes})
	if err != nil {
		return err
	}
	removed := map[string]map[int]bool{}
	for i := range patch.Files {
		f := &patch.Files[i]
		removed[f.OldPath] = map[int]bool{}
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == '-' {
					removed[f.OldPath][l.Old] = true
				}
			}
		}
	}
	for path, lines := range from {
		maps.DeleteFunc(lines, func(line int, _ []*OwnedLine) bool { return !removed[path][line] })
		if len(lines) == 0 {
			delete(from, path)
		}
	}
	return nil
}

// rangesOf returns the keys as ranges of one line each, in order.
func rangesOf[T any](lines map[int]T) []gitext.LineRange {
	var ranges []gitext.LineRange
	for _, n := range slices.Sorted(maps.Keys(lines)) {
		ranges = append(ranges, gitext.LineRange{Start: n, End: n})
	}
	return ranges
}
