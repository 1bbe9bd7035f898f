// Package generate makes candidate patches for a bug without a model.
//
// [Candidates] returns them in the order of their estimated probability. It mixes five sources:
// it undoes uncommitted changes; undoes the commits that wrote the suspected lines, whole or in
// parts; restores conditions and calls that were once removed from a suspected function; copies
// missing code from similar functions; and makes small changes of the most frequent kinds of
// fixes (package mutate). The tests decide which candidate is good, see package offline. The
// comments of the constants have the measurements behind the order.
//
// A source reads the history only at its turn. Candidates with equal tokens count as equal, so
// none comes twice. Go files with detectable compile errors are left out.
package generate

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"git-agent/agent/fix"
	"git-agent/agent/fix/generate/mutate"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Input is the input for candidates.
type Input struct {
	Problem      fix.Problem
	Localization *fix.Localization
	History      *fix.History // nil if the history was not searched; History only orders commits
	Output       []byte       // output of the failing tests; may be nil
	RevertOnly   bool         // only undo changes
	// Exports are the files with export data of Go packages, by import path, as in go list
	// -export. It may be nil; then fewer names and types of Go code are known.
	Exports map[string]string
}

// A Candidate is an untried patch.
type Candidate struct {
	Files    []gitext.Overlay // whole new contents over the problem's tree
	Origin   string           // how the patch was made: "reverts a hunk of 1a2b3c4d5e6f"
	Why      string           // one sentence for a reader; "" if Origin says all
	Commit   gitext.OID       // the undone commit; "" if none
	Prior    float64          // estimated probability that the patch is right; only for sorting
	Kind     Kind
	Op       mutate.Op // the change, if Kind is Mutation
	Location int       // index in Localization.Locations
	Line     int       // the first changed line of the tree
	// Probe says that the candidate only shows whether a place matters. A probe may be
	// plausible, but is hardly ever right.
	Probe bool
	// More returns further candidates, worth trying if this one changes the result of the
	// failing tests. It may be nil.
	More func() []Candidate
}

// A Kind is a way to make candidates.
type Kind string

// These are the kinds.
const (
	Hunk      Kind = "hunk"     // a hunk of a commit is undone
	HunkLine  Kind = "line"     // a line of such a hunk is undone
	Hunks     Kind = "hunks"    // several hunks are undone
	FileHunks Kind = "file"     // all hunks of a commit in the file are undone
	Function  Kind = "function" // the function is restored to its version before a commit
	Older     Kind = "older"    // the function is restored to an older version
	Restore   Kind = "restore"  // a removed condition or call is put back
	Sibling   Kind = "sibling"  // code is copied from a similar function
	Mutation  Kind = "mutation" // a small change is made
)

// Candidates returns candidates, the most likely first. It ends early if ctx ends. Unreadable
// parts of the history are left out.
func Candidates(ctx context.Context, repo *gitext.Repo, in Input) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		g := newGenerator(ctx, repo, in)
		for q := g.start(); ctx.Err() == nil && q.Len() > 0; {
			it := q.take()
			if it.expand != nil {
				for _, next := range it.expand() {
					q.put(next)
				}
				continue
			}
			if g.admit(&it.candidate) && !yield(it.candidate) {
				return
			}
		}
	}
}

// maxLocations bounds the changed functions.
const maxLocations = 30

// A generator holds the shared state of the sources of candidates.
type generator struct {
	ctx   context.Context
	repo  *gitext.Repo
	in    Input
	tree  *tree
	sites []*site
	seen  map[string]bool
	check *goCheck
	clues mutate.Clues

	places map[string][]int       // lines in the failing output, by file; see Newest
	recent map[gitext.OID]float64 // see newness; nil until needed
}

func newGenerator(ctx context.Context, repo *gitext.Repo, in Input) *generator {
	g := &generator{ctx: ctx, repo: repo, in: in, seen: map[string]bool{}}
	g.tree = newTree(ctx, repo, in.Problem.Tree)
	g.check = newGoCheck(g.tree, in.Exports)
	g.clues.Words, g.clues.Raised, g.clues.Unknown = words(in), raised(in.Output), unknownNames(in.Output)
	if in.Localization == nil {
		return g
	}
	for i, l := range in.Localization.Locations {
		if s := g.site(i, l); s != nil && len(g.sites) < maxLocations {
			g.sites = append(g.sites, s)
		}
	}
	return g
}

// A site is a suspected function.
type site struct {
	index    int // in Localization.Locations
	path     string
	content  []byte
	lines    [][]byte
	extent   source.Extent
	share    float64         // probability that the bug is in this function
	hot      map[int]float64 // weights of its lines; nil if all are alike
	file     *mutate.File    // nil for an unknown language
	name     string
	versions []version // nil until read
}

// site prepares a location; it returns nil if the file cannot be read or must not be changed.
func (g *generator) site(i int, l fix.Location) *site {
	if source.IsTestOf(l.Path, g.in.Problem.Test) && !g.in.Problem.EditTests {
		return nil
	}
	content, ok := g.tree.read(l.Path)
	if !ok {
		return nil
	}
	s := &site{index: i, path: l.Path, content: content, lines: source.SplitLines(content), name: l.Function, share: shareOf(len(g.sites))}
	if l.Lines.Start < 1 || l.Lines.End > len(s.lines) || l.Lines.Start > l.Lines.End {
		return nil
	}
	s.extent = source.Extent{Start: l.Lines.Start, Body: l.Lines.Start, End: l.Lines.End}
	for _, line := range []int{l.Lines.Start, (l.Lines.Start + l.Lines.End) / 2} {
		if e, ok := source.FunctionAround(l.Path, s.lines, line); ok && e.End >= l.Lines.End && e.Start >= l.Lines.Start {
			s.extent = e
		}
	}
	s.file = g.tree.source(l.Path)
	s.hot = hotLines(l, g.in.Localization.Spectrum, s)
	return s
}

// shareOf returns the probability that the bug is in the function at a rank, from 0. With
// coverage and history the true function was first in 36% of 76 cases, among three in 64%,
// among five in 72% and among ten in 87%.
func shareOf(rank int) float64 {
	switch {
	case rank < len(shares):
		return shares[rank]
	}
	return 0.15 / float64(rank)
}

var shares = []float64{0.36, 0.16, 0.12, 0.05, 0.04, 0.03, 0.03, 0.03, 0.03, 0.02}

// hotLines returns the weights of a function's lines. Suspicious lines have the largest weight.
// Other lines that failing tests execute have a smaller one, and lines that they do not execute
// have none. It returns nil if there is no information about single lines.
func hotLines(l fix.Location, spectrum *fix.Spectrum, s *site) map[int]float64 {
	hits := executed(spectrum, l.Path)
	if len(l.Hot) == 0 && hits == nil {
		return nil
	}
	hot := map[int]float64{}
	for line := s.extent.Start; line <= s.extent.End; line++ {
		switch {
		case hits != nil && !hits[line]:
		case len(l.Hot) == 0:
			hot[line] = 1
		default:
			hot[line] = 0.3
		}
	}
	for rank, r := range l.Hot {
		if r.End < r.Start { // code is missing between these two
			r.Start, r.End = r.End, r.Start
		}
		for line := r.Start; line <= min(r.End, s.extent.End); line++ {
			hot[line] = max(hot[line], 1/(1+float64(rank)/3))
		}
	}
	return hot
}

// executed returns the lines of a file that failing tests execute; nil if unknown.
func executed(spectrum *fix.Spectrum, path string) map[int]bool {
	if spectrum == nil || len(spectrum.Files[path]) == 0 {
		return nil
	}
	set := map[int]bool{}
	for _, h := range spectrum.Files[path] {
		if h.Failing > 0 {
			set[h.Line] = true
		}
	}
	return set
}

// start returns the queue with the sources of all sites.
func (g *generator) start() *queue {
	q := &queue{}
	for _, it := range g.uncommitted() {
		q.put(it)
	}
	for _, s := range g.sites {
		for _, src := range []struct {
			best   float64 // prior of its best candidate, if the bug is in the function
			revert bool
			expand func(*site) []item
		}{
			{priorHunk, true, g.reverts}, {priorOlder, true, g.older}, {priorRestore, false, g.restored},
			{priorSibling, false, g.siblings}, {priorMutation, false, g.mutations},
		} {
			if src.revert || !g.in.RevertOnly {
				q.put(item{prior: src.best * s.share, expand: func() []item { return src.expand(s) }})
			}
		}
	}
	return q
}

// These are the probabilities that the best candidate of a source is right, if the function is
// right. They were measured for the sources that undo changes: of 119 bugs with perfect lines,
// undoing a hunk repaired 5, restoring the function before a commit 3, and an older version 4.
const (
	priorHunk     = 0.04
	priorFunction = 0.03
	priorOlder    = 0.02
	priorFile     = 0.02
	priorLine     = 0.01
	priorRestore  = 0.02
	priorSibling  = 0.03
	priorMutation = 0.03
)

// admit reports whether a candidate is new and worth trying. It wraps More so that further
// candidates are examined as well.
func (g *generator) admit(c *Candidate) bool {
	key := ""
	for _, f := range c.Files {
		key += g.change(f)
	}
	if key == "" || g.seen[key] {
		return false
	}
	g.seen[key] = true
	if !g.check.accepts(c.Files) {
		return false
	}
	if more := c.More; more != nil {
		c.More = func() []Candidate {
			var list []Candidate
			for _, next := range more() {
				if g.admit(&next) {
					list = append(list, next)
				}
			}
			return list
		}
	}
	return true
}

// change returns a key of a file's change. It is equal for changes that differ only in white
// space and comments, and "" for a change of only white space and comments.
func (g *generator) change(f gitext.Overlay) string {
	old, _ := g.tree.read(f.Path)
	from, oldEnd, newEnd := differing(old, f.Content)
	before, after := mutate.Normal(f.Path, old[from:oldEnd]), mutate.Normal(f.Path, f.Content[from:newEnd])
	if before == after {
		return ""
	}
	return fmt.Sprintf("%s\x00%d\x00%d\x00%s\x00", f.Path, from, oldEnd, after)
}

// differing returns the different lines of two texts: they begin at the offset from in both,
// and end before oldEnd and newEnd.
func differing(a, b []byte) (from, oldEnd, newEnd int) {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	from = bytes.LastIndexByte(a[:n], '\n') + 1
	m := 0
	for m < min(len(a), len(b))-from && a[len(a)-1-m] == b[len(b)-1-m] {
		m++
	}
	// The common end begins with a whole line.
	if i := bytes.IndexByte(a[len(a)-m:], '\n'); i >= 0 {
		m -= i + 1
	} else {
		m = 0
	}
	return from, len(a) - m, len(b) - m
}
