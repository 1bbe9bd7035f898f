package generate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	maxNewest      = 12 // newest commits that are undone first
	maxNewestFiles = 40 // files with read history
	// shareNamed is the estimated probability of the bug in a function with a line in the
	// failing output, for any rank of the function.
	shareNamed    = 1
	sharePart     = 0.2 // factor for a part of a commit, relative to the whole commit
	maxSmallFiles = 3   // files of a small commit, which is undone as a whole
	maxSmallHunks = 6   // hunks of a small commit
	maxParts      = 6   // candidates of a commit
	// newestBytes bounds the read hunks of one commit.
	newestBytes = 4 << 20
	// shareElsewhere is the estimated probability of the bug outside of the suspected
	// functions: in code that failing tests execute, or outside of functions in a file with a
	// suspected function.
	shareElsewhere = 0.01
	// coldShare is the factor for a change whose lines no failing test executes, relative to a
	// change of the most suspicious line.
	coldShare = 0.2
)

// Newest returns candidates that exactly undo the newest changes of suspected code, the
// likeliest first. A regression is mostly found soon. So its commit is one of the last that
// changed the executed code of the failing test, and undoing it is right, while older versions
// and small changes are guesses.
//
// For each commit, Newest undoes first the whole commit without its tests, if it is small, then
// all its hunks in suspected code, and then each of these hunks. Uncommitted changes come
// before commits, first those of each file, then those of all files together. Unlike the other
// sources, Newest also finds commits that only removed lines, which blame cannot find. If there
// is no suspected code, Newest undoes the last commits.
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
	return append(g.withAllUncommitted(list), g.newest()...)
}

// newest undoes the newest commits.
func (g *generator) newest() []Candidate {
	g.places = g.placesIn(g.in.Output)
	paths := g.suspectedFiles() // without suspected files, the last commits of all files are undone
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
		if len(some) > 0 { // otherwise the commit changed only white space and comments
			age++
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Prior, a.Prior) })
	return list
}

// admitted returns the new candidates of a commit, with their priors.
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

// suspectedFiles returns the files of suspected functions, then files with lines in the failing
// output, and then files that failing tests execute.
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

// An undoing has the parts of a commit that can be undone.
type undoing struct {
	g      *generator
	commit gitext.OID
	files  []undoneFile
	hunks  int     // of the files
	whole  bool    // the commit is small, and files has all its files except tests and documents
	share  float64 // estimated probability that one of its hunks has the bug
}

// An undoneFile is a file that a commit changed.
type undoneFile struct {
	now       *site // the present file
	was       *change
	suspected []int // indexes of the hunks in suspected code
	index     int   // index in Localization.Locations of the likeliest function with these hunks; -1 if none
}

// undoing reads the changes of a commit; it returns nil if the commit changed no suspected
// code. In a commit with many files, it reads only files that may have suspected code.
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
		u.hunks += len(file.was.hunks)
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
	hunks := g.codeHunks(f.NewPath, after, f.Hunks)
	return undoneFile{
		now:   &site{path: f.NewPath, content: content, lines: source.SplitLines(content)},
		was:   &change{blamed: blamed{commit: p.Commit, parent: p.Parent}, after: source.SplitLines(after), hunks: hunks},
		index: -1,
	}, len(hunks) > 0
}

// suspectHunks finds the hunks of a file in suspected code, and returns the largest estimated
// probability that one of them has the bug.
func (g *generator) suspectHunks(f *undoneFile) float64 {
	was := joinLines(f.was.after)
	most, moved := 0.0, fix.KeptLines(was, fix.HunksBetween(was, f.now.content))
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

// presentLines returns the lines of the present file that a hunk wrote. For a hunk that only
// removed lines, it returns the lines around them.
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

// shareOf returns the probability of the bug in lines of a file, and the index of the suspected
// function around them.
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
		return shareElsewhere, -1 // there is no suspected code
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

// candidates undoes the whole commit and then its parts.
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
		if len(c.Files) == 0 || c.Location < 0 && f.index >= 0 { // the first file and line, for a reader
			c.Location, c.Line = f.index, firstDifference(f.now.lines, source.SplitLines(content))
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
