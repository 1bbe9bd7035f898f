package generate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	maxNewest      = 12 // newest commits whose changes are undone first
	maxNewestFiles = 40 // files whose history is read for them
	// shareNamed is how likely the bug is thought to be in a function of which the failing
	// output names a line, wherever it stands among the suspected ones.
	shareNamed    = 1
	sharePart     = 0.2 // of a part of a commit against all of it
	maxSmallFiles = 3   // files of a commit that is small enough to be undone whole
	maxSmallHunks = 6   // its hunks
	maxParts      = 6   // candidates of a commit
	// newestBytes bounds the hunks of one commit that are read.
	newestBytes = 4 << 20
	// shareElsewhere is how likely the bug is thought to be outside of the suspected
	// functions: in code that failing tests execute, or outside of functions in a file
	// that has a suspected one.
	shareElsewhere = 0.01
	// coldShare is by how much a change is less likely than one of the most suspicious
	// line, if failing tests execute none of its lines.
	coldShare = 0.2
)

// Newest returns candidates that undo exactly what the newest changes of suspected code
// were, the likeliest first. A regression is mostly found soon, so that its commit is one
// of the last that touched what the failing test executes; and the undone change is right
// then, where older versions and small changes are guesses.
//
// For each commit that is the commit without its tests, if it is small, then all its hunks
// in suspected code, and then each of them. Uncommitted changes come before commits.
// Unlike the other sources of candidates, lines that a commit only removed count too:
// nobody can be blamed for them. If nothing is suspected, the last commits are undone.
func Newest(ctx context.Context, repo *gitext.Repo, in Input) []Candidate {
	g := newGenerator(ctx, repo, in)
	var list []Candidate
	q := &queue{}
	for _, it := range g.uncommitted() {
		it.prior += priorCulprit // before all commits
		q.put(it)
	}
	for q.Len() > 0 && len(list) < maxUncommitted && ctx.Err() == nil {
		it := q.take()
		if it.expand == nil {
			list = append(list, it.candidate)
			continue
		}
		for _, next := range it.expand() {
			if next.expand == nil || next.prior >= priorFile*shareUncommitted { // no single lines
				q.put(next)
			}
		}
	}
	list = slices.DeleteFunc(list, func(c Candidate) bool { return !g.admit(&c) })
	return append(list, g.newest()...)
}

// newest undoes the newest commits.
func (g *generator) newest() []Candidate {
	g.places = g.placesIn(g.in.Output)
	paths := g.suspectedFiles() // without any, the last commits of all files are undone
	var oids []gitext.OID
	for e, err := range g.repo.Log(g.ctx, gitext.LogOptions{Tip: g.tree.Commit, Paths: paths, Max: maxNewest, NoMerges: true}) {
		if err != nil {
			break
		}
		oids = append(oids, e.OID)
	}
	commits, err := g.repo.Commits(g.ctx, oids)
	if err != nil || len(oids) == 0 {
		return nil
	}
	subjects := map[gitext.OID]string{}
	for _, c := range commits {
		subjects[c.OID] = c.Subject()
	}
	what := "suspected code"
	if len(paths) == 0 {
		what = "source files"
	}
	var list []Candidate
	age := 0
	for p, err := range g.repo.Patches(g.ctx, oids, gitext.PatchOptions{MaxBytes: newestBytes}) {
		if err != nil || p.Truncated {
			continue
		}
		u := g.undoing(p, paths)
		if u == nil {
			continue
		}
		score := math.Sqrt(u.share) / float64(age+1)
		why := fmt.Sprintf("One of the newest commits that changed %s: %s.", what, subjects[p.Commit])
		some := g.admitted(u, score*priorCulprit, why)
		list = append(list, some...)
		if len(some) > 0 { // else it changed white space and comments
			age++
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Prior, a.Prior) })
	return list
}

// admitted returns the candidates of a commit that are new, with their priors.
func (g *generator) admitted(u *undoing, prior float64, why string) (list []Candidate) {
	for n, c := range u.candidates() {
		c.Prior, c.Why = prior, why
		if n > 0 {
			c.Prior *= sharePart / float64(n)
		}
		if g.admit(&c) {
			list = append(list, c)
		}
	}
	return list
}

// suspectedFiles returns the files of suspected functions, then those of which the failing
// output names lines, and then those that failing tests execute.
func (g *generator) suspectedFiles() []string {
	var list []string
	add := func(p string) {
		if !slices.Contains(list, p) && len(list) < maxNewestFiles {
			list = append(list, p)
		}
	}
	for _, s := range g.sites {
		add(s.path)
	}
	for _, p := range slices.Sorted(maps.Keys(g.places)) {
		if !source.IsTestOf(p, g.in.Problem.Test) {
			add(p)
		}
	}
	if g.in.Localization == nil || g.in.Localization.Spectrum == nil {
		return list
	}
	var executed []string
	for p, lines := range g.in.Localization.Spectrum.Files {
		if len(lines) > 0 && !source.IsTestOf(p, g.in.Problem.Test) {
			executed = append(executed, p)
		}
	}
	slices.Sort(executed)
	for _, p := range executed {
		add(p)
	}
	return list
}

// An undoing is what can be undone of a commit.
type undoing struct {
	g      *generator
	commit gitext.OID
	files  []undoneFile
	hunks  int     // of the files
	whole  bool    // it is small, and files has all of it but tests and documents
	share  float64 // how likely it is thought that one of its hunks has the bug
}

// An undoneFile is a file that a commit changed.
type undoneFile struct {
	now       *site // the present file
	was       *change
	suspected []int // indexes of the hunks in suspected code
	index     int   // the likeliest of the functions with them, in Localization.Locations; -1 if none
}

// undoing reads what a commit changed; nil if it changed no suspected code. Of a commit
// with many files only those are read that may have suspected code.
func (g *generator) undoing(p *gitext.Patch, suspected []string) *undoing {
	sources := slices.DeleteFunc(slices.Clone(p.Files), func(f gitext.FileChange) bool {
		name := cmp.Or(f.NewPath, f.OldPath)
		return source.FileKindOf(name) != source.SourceFile || source.IsTestOf(name, g.in.Problem.Test)
	})
	u := &undoing{g: g, commit: p.Commit, whole: len(sources) <= maxSmallFiles}
	if !u.whole && len(suspected) > 0 {
		sources = slices.DeleteFunc(sources, func(f gitext.FileChange) bool { return !slices.Contains(suspected, f.NewPath) })
	}
	for _, f := range sources[:min(len(sources), maxNewestFiles)] {
		file, ok := g.undoneFile(p, f)
		if !ok {
			u.whole = false
			continue
		}
		u.share = max(u.share, g.suspectHunks(&file))
		u.files = append(u.files, file)
		u.hunks += len(f.Hunks)
	}
	u.whole = u.whole && u.hunks <= maxSmallHunks
	if u.share == 0 {
		return nil
	}
	return u
}

// undoneFile prepares a file that a commit changed and did not create.
func (g *generator) undoneFile(p *gitext.Patch, f gitext.FileChange) (undoneFile, bool) {
	if f.Status != 'M' || f.Binary || len(f.Hunks) == 0 || len(f.Hunks) > maxHunks || p.Parent == "" {
		return undoneFile{}, false
	}
	content, ok := g.tree.read(f.NewPath)
	if !ok {
		return undoneFile{}, false
	}
	after, err := g.repo.BlobAt(g.ctx, p.Commit, f.NewPath, maxFileBytes)
	if err != nil {
		return undoneFile{}, false
	}
	return undoneFile{
		now:   &site{path: f.NewPath, content: content, lines: splitLines(content)},
		was:   &change{blamed: blamed{commit: p.Commit, parent: p.Parent}, after: splitLines(after), hunks: f.Hunks},
		index: -1,
	}, true
}

// suspectHunks finds the hunks of a file that are in suspected code, and returns how
// likely it is thought that the likeliest of them has the bug.
func (g *generator) suspectHunks(f *undoneFile) float64 {
	most, moved := 0.0, moves(joinLines(f.was.after), f.now.content)
	for i, h := range f.was.hunks {
		lines := presentLines(h, moved)
		share, index := g.shareOf(f.now, lines)
		if share > 0 {
			f.suspected = append(f.suspected, i)
		}
		if share > most {
			most, f.index = share, index
		}
	}
	return most
}

// presentLines returns the lines of the present file that a hunk wrote. For one that only
// removed lines these are the lines around them.
func presentLines(h gitext.Hunk, moved map[int]int) []int {
	first, last := h.NewStart, h.NewStart+h.NewLines-1
	if h.NewLines == 0 {
		first, last = h.NewStart, h.NewStart+1
	}
	var list []int
	for line := first; line <= last; line++ {
		if at, ok := moved[line]; ok {
			list = append(list, at)
		}
	}
	return list
}

// shareOf returns how likely the bug is in lines of a file, and the suspected function
// that has them.
func (g *generator) shareOf(in *site, lines []int) (share float64, index int) {
	index = -1
	near, inside := false, false
	for _, s := range g.sites {
		if s.path != in.path {
			continue
		}
		near = true
		for _, line := range lines {
			if line < s.extent.Start || line > s.extent.End {
				continue
			}
			inside = true
			if is := s.share * max(s.heat(line), coldShare); is > share {
				share, index = is, s.index
			}
		}
	}
	if g.named(in, lines) {
		share = max(share, shareNamed)
	}
	if inside || share > 0 {
		return share, index
	}
	if len(g.sites) == 0 {
		return shareElsewhere, -1 // nothing is suspected
	}
	hits := g.executed(in.path)
	for _, line := range lines {
		_, within := source.FunctionAround(in.path, in.lines, line)
		if hits[line] || near && !within {
			return shareElsewhere, -1
		}
	}
	return 0, -1
}

// executed returns the lines of a file that failing tests execute.
func (g *generator) executed(path string) map[int]bool {
	if g.in.Localization == nil {
		return nil
	}
	return executed(g.in.Localization.Spectrum, path)
}

// candidates undoes the commit and its parts, the whole first.
func (u *undoing) candidates() []Candidate {
	id, suspected := u.commit.Short(), 0
	for _, f := range u.files {
		suspected += len(f.suspected)
	}
	all := func(f undoneFile) (list []int) {
		for i := range f.was.hunks {
			list = append(list, i)
		}
		return list
	}
	var list []Candidate
	if u.whole {
		list = append(list, u.undo(FileHunks, "reverts "+id, all)...)
	}
	if !u.whole || suspected < u.hunks {
		origin := "reverts the hunks of " + id + " in suspected code"
		if suspected == 1 {
			origin = "reverts a hunk of " + id
		}
		list = append(list, u.undo(Hunks, origin, func(f undoneFile) []int { return f.suspected })...)
	}
	if suspected == 1 {
		return list
	}
	for _, f := range u.files {
		for _, i := range f.suspected {
			one := func(of undoneFile) []int {
				if of.now == f.now {
					return []int{i}
				}
				return nil
			}
			list = append(list, u.undo(Hunk, "reverts a hunk of "+id, one)...)
		}
	}
	return list[:min(len(list), maxParts)]
}

// undo makes the candidate that undoes some hunks of each file in the present tree. It
// returns nothing if later changes overlap.
func (u *undoing) undo(kind Kind, origin string, hunks func(undoneFile) []int) []Candidate {
	c := Candidate{Origin: origin, Commit: u.commit, Kind: kind, Location: -1}
	for _, f := range u.files {
		some := hunks(f)
		if len(some) == 0 {
			continue
		}
		content, err := u.g.repo.MergeFile(u.g.ctx, f.now.content, joinLines(f.was.after), joinLines(f.was.without(some)))
		if err != nil {
			return nil
		}
		changed := u.g.tree.overlay(f.now.path, content)
		if len(c.Files) == 0 || c.Location < 0 && f.index >= 0 { // a reader is shown the first file and the line
			c.Location, c.Line = f.index, firstDifference(f.now.lines, splitLines(content))
			c.Files = slices.Insert(c.Files, 0, changed)
			continue
		}
		c.Files = append(c.Files, changed)
	}
	if len(c.Files) == 0 {
		return nil
	}
	return []Candidate{c}
}
