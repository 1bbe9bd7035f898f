package generate

import (
	"maps"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

const (
	maxCommits = 4   // undone commits of a function
	maxHunks   = 40  // hunks of a commit in a file; one with more is a mass change
	maxSingles = 12  // lines of a hunk for undoing one at a time
	massFiles  = 150 // files of a mass change
)

// reverts undoes the commits that wrote a function's lines.
func (g *generator) reverts(s *site) []item {
	var list []item
	for rank, b := range g.blamed(s) {
		list = append(list, item{
			prior:  priorHunk * s.share * b.share * g.newness(b.commit) / float64(rank+1),
			expand: func() []item { return g.undo(s, b) },
		})
	}
	return list
}

// A blamed commit wrote lines of a function.
type blamed struct {
	commit, parent gitext.OID
	path, previous string // names of the file after and before the commit
	lines          []int  // line numbers of the written lines, in the commit
	score, share   float64
}

// blamed returns the commits that wrote the function's code, those with most suspicious lines
// first; of equal ones, the newer first. Commits that created the file or changed very many
// files are left out.
func (g *generator) blamed(s *site) []blamed {
	now := g.committed(s)
	if len(now) == 0 {
		return nil
	}
	old := slices.Sorted(maps.Keys(now))
	lines := gitext.LineRange{Start: old[0], End: old[len(old)-1]}
	owners, err := suspect.FindOwners(g.ctx, g.repo, g.tree.Commit, []suspect.FileLines{{Path: s.path, Ranges: []gitext.LineRange{lines}}})
	if err != nil || len(owners.Lines) == 0 {
		return nil
	}
	by := map[gitext.OID]*blamed{}
	for _, l := range owners.Lines[0] {
		line, unchanged := now[l.Line]
		if !unchanged || l.Previous == "" || l.Kind != source.LineCode && l.Kind != source.LineBrace {
			continue
		}
		b := by[l.Owner]
		if b == nil {
			b = &blamed{commit: l.Owner, parent: l.Previous, path: l.Path, previous: l.PreviousPath}
			by[l.Owner] = b
		}
		b.lines = append(b.lines, l.OrigLine)
		b.score += s.heat(line)
	}
	return g.ranked(by)
}

// heat returns the suspicion of a line.
func (s *site) heat(line int) float64 {
	if s.hot == nil {
		return 1
	}
	return s.hot[line]
}

// ranked orders commits and drops mass changes.
func (g *generator) ranked(by map[gitext.OID]*blamed) []blamed {
	var oids []gitext.OID
	for oid := range by {
		oids = append(oids, oid)
	}
	commits, err := g.repo.Commits(g.ctx, oids)
	if err != nil {
		return nil
	}
	touched, _ := g.repo.Touched(g.ctx, oids, 1)
	slices.SortFunc(commits, func(a, b gitext.Commit) int { return b.Committer.Time.Compare(a.Committer.Time) })
	var list []blamed
	total := 0.0
	for i, c := range commits {
		b := by[c.OID]
		if touched[c.OID].Files > massFiles || b.score <= 0 {
			continue
		}
		b.score *= 1 + 1/float64(i+1) // a newer commit counts up to twice as much
		total += b.score
		list = append(list, *b)
	}
	slices.SortStableFunc(list, func(a, b blamed) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	for i := range list {
		list[i].share = 0.5 + 0.5*list[i].score/total
	}
	return list[:min(len(list), maxCommits)]
}

// A change is a commit's change of one file, with the file's contents before and after.
type change struct {
	blamed
	after [][]byte
	hunks []gitext.Hunk
	mine  []int // indexes of the hunks that wrote lines of the function
}

// changeOf reads a commit's change of a file.
func (g *generator) changeOf(b blamed) (*change, bool) {
	patch, err := g.repo.Patch(
		g.ctx,
		b.parent,
		b.commit,
		gitext.PatchOptions{Renames: b.path != b.previous, Paths: slices.Compact([]string{b.previous, b.path})},
	)
	if err != nil {
		return nil, false
	}
	content, err := g.repo.BlobAt(g.ctx, b.commit, b.path, maxFileBytes)
	if err != nil {
		return nil, false
	}
	for _, f := range patch.Files {
		if f.NewPath != b.path || f.Binary || f.Status == 'A' || len(f.Hunks) == 0 || len(f.Hunks) > maxHunks {
			continue
		}
		c := &change{blamed: b, after: source.SplitLines(content), hunks: g.codeHunks(b.path, content, f.Hunks)}
		for i, h := range c.hunks {
			if slices.ContainsFunc(b.lines, func(l int) bool { return l >= h.NewStart && l < h.NewStart+h.NewLines }) {
				c.mine = append(c.mine, i)
			}
		}
		return c, len(c.mine) > 0
	}
	return nil, false
}

// undo makes the candidates of one commit.
func (g *generator) undo(s *site, b blamed) []item {
	c, ok := g.changeOf(b)
	if !ok {
		return nil
	}
	return g.pieces(s, c, s.share*b.share*g.newness(b.commit))
}

// pieces undoes the parts of a change: its hunks one by one, pairs of them, all in the
// function, all in the file, and single lines.
func (g *generator) pieces(s *site, c *change, base float64) []item {
	var list []item
	id := c.source()
	add := func(kind Kind, prior float64, what string, undone [][]byte) {
		list = append(list, g.merged(s, c, kind, prior*base, what, undone)...)
	}
	for n, i := range c.mine {
		add(Hunk, priorHunk/float64(n+1), "a hunk of "+id, c.without([]int{i}))
		lines := c.singles(i)
		for m, undone := range lines {
			add(HunkLine, priorLine*2/float64(len(lines)+n+m), "a line of "+id, undone)
		}
	}
	for n, pair := range pairs(c.mine) {
		add(Hunks, priorHunk/float64(n+3), "two hunks of "+id, c.without(pair))
	}
	if len(c.mine) > 2 && s.index >= 0 { // otherwise the file is the place
		add(Hunks, priorFunction, "the hunks of "+id+" in the function", c.without(c.mine))
	}
	if len(c.hunks) > len(c.mine) {
		all := make([]int, len(c.hunks))
		for i := range all {
			all[i] = i
		}
		add(FileHunks, priorFile, "what "+id+" changed in the file", c.without(all))
	}
	return list
}

// pairs returns the pairs of the first hunks, if there are more than two.
func pairs(hunks []int) [][]int {
	var list [][]int
	if len(hunks) < 3 {
		if len(hunks) == 2 {
			return [][]int{hunks}
		}
		return nil
	}
	for i := 0; i < min(len(hunks), 4); i++ {
		for j := i + 1; j < min(len(hunks), 4); j++ {
			list = append(list, []int{hunks[i], hunks[j]})
		}
	}
	return list
}

// without returns the file after the commit, with some hunks undone.
func (c *change) without(hunks []int) [][]byte {
	var out [][]byte
	at := 0 // number of copied lines of the file
	for _, i := range hunks {
		h := c.hunks[i]
		start := h.NewStart - 1
		if h.NewLines == 0 {
			start++ // the lines were removed after this one
		}
		out = append(out, c.after[at:min(start, len(c.after))]...)
		for _, l := range h.Lines {
			if l.Op != '+' {
				out = append(out, l.Text)
			}
		}
		at = min(start+h.NewLines, len(c.after))
	}
	return append(out, c.after[at:]...)
}

// singles returns versions of the file, each with one line of a hunk undone: a removed line
// restored, or an added one removed, or both for a pair of lines if the hunk has equal numbers
// of each.
func (c *change) singles(i int) [][][]byte {
	h := c.hunks[i]
	var removed, added []gitext.PatchLine
	for _, l := range h.Lines {
		switch l.Op {
		case '-':
			removed = append(removed, l)
		case '+':
			added = append(added, l)
		}
	}
	if len(removed)+len(added) < 2 {
		return nil // the hunk is a single line
	}
	var list [][][]byte
	replace := func(from, to int, with ...[]byte) {
		if from >= 0 && to >= from && to <= len(c.after) && len(list) < maxSingles {
			list = append(list, slices.Concat(c.after[:from], with, c.after[to:]))
		}
	}
	if len(removed) == len(added) {
		for k := range added {
			replace(added[k].New-1, added[k].New, removed[k].Text)
		}
		return list
	}
	for _, l := range added {
		replace(l.New-1, l.New)
	}
	start := h.NewStart - 1
	if h.NewLines == 0 {
		start++
	}
	for _, l := range removed {
		replace(start, start, l.Text)
		replace(start+h.NewLines, start+h.NewLines, l.Text)
	}
	return list
}

// merged applies the difference between the commit's file and undone, the file with a part
// undone, to the present file. It returns nothing if later changes overlap.
func (g *generator) merged(s *site, c *change, kind Kind, prior float64, what string, undone [][]byte) []item {
	return []item{{prior: prior, expand: func() []item {
		content, err := g.repo.MergeFile(g.ctx, s.content, joinLines(c.after), joinLines(undone))
		if err != nil {
			return nil
		}
		weight := 1.0
		if kind == HunkLine { // a whole hunk or function was once like that
			weight = s.emptying(content)
		}
		return []item{ready(Candidate{
			Files: []gitext.Overlay{g.tree.overlay(s.path, content)}, Origin: "reverts " + what, Commit: c.commit,
			Prior: prior * weight, Kind: kind, Location: s.index, Line: firstDifference(s.lines, source.SplitLines(content)),
		})}
	}}}
}

// firstDifference returns the first different line of two files, from 1.
func firstDifference(a, b [][]byte) int {
	n := 0
	for n < min(len(a), len(b)) && string(a[n]) == string(b[n]) {
		n++
	}
	return n + 1
}
