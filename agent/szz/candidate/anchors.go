package candidate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"

	"git-agent/agent/source"
	"git-agent/agent/szz"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// The ranker starts from lines of the fix's parent, its anchors. Blame gives
// each an owner, and owners are the first candidates:
//
//	  int f(int n) {          function    the enclosing function, which is all
//	    setup();              context     that a fix without deletions offers;
//	-   return g(n);          deleted     three lines around each change; the
//	+   return n ? g(n) : 0;              line that the fix took out
//	  }                       context
//
// Measured on 230 fixes of five C projects, the culprit is among the owners of
// deleted lines in .63, with context in .79, with the function in .86.
type Role int

const (
	RoleDeleted Role = iota
	RoleContext
	RoleFunction
)

// An anchor is one line of the parent and its owner.
type Anchor struct {
	File     int // index into anchorSet.files
	Line     int // 1-based, in the parent
	Change   int // which change it belongs to or is nearest to
	Role     Role
	Distance int  // lines to the nearest change; 0 for deleted lines
	Inserts  bool // the nearest change only adds lines
	Kind     source.LineKind
	Text     []byte
	Owner    gitext.OID
	Path     string // where the owner had it
	OrigLine int
	previous gitext.OID
	prevPath string
}

// A run is one maximal block of removed and added lines.
type Change struct {
	file           int
	oldStart       int // the first removed line, or the line the insertion precedes
	Removed, Added []gitext.PatchLine
}

// AnchorSet holds the lines that the ranker starts from.
type AnchorSet struct {
	Files     []*gitext.FileChange // that were blamed
	Changes   []Change
	Anchors   []Anchor
	Functions map[string]bool                      // names of the functions that the fix changes
	Second    []gitext.OID                         // owners of the lines that deleted lines had replaced, one entry a line
	Origins   map[ShareKind]map[gitext.OID]float64 // words that each wrote, by whose votes they are
	Named     []named                              // lines of other files that use rare names of the fix
	Beyond    bool                                 // a shallow clone lacks the owners of all lines
	Notes     []string
}

// Bounds of the work for one fix; a fix beyond them is traced by its largest
// files, and says so.
const (
	maxBlamedFiles   = 24
	maxFunctionReach = 120       // lines of a function on each side of a change
	maxBlobBytes     = 8 << 20   // of a blamed file
	maxKindBytes     = 512 << 10 // of a file whose comments are told apart
	maxKindsBytes    = 4 << 20   // of all of them: a lexer reads 150 KB in a second
)

// FindAnchors picks the files worth tracing and blames their lines.
func FindAnchors(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext) (*AnchorSet, error) {
	set := &AnchorSet{}
	set.Files = tracedFiles(fc.Patch)
	if n := len(set.Files); n > maxBlamedFiles {
		set.Notes = append(set.Notes, fmt.Sprintf("%d files changed; the %d with most changed lines were traced", n, maxBlamedFiles))
		set.Files = largestFiles(set.Files, maxBlamedFiles)
	}
	if len(set.Files) == 0 {
		return set, nil
	}
	reach, err := functionReach(ctx, repo, fc, set.Files)
	if err != nil {
		return nil, err
	}
	if set.Functions, err = fixFunctions(ctx, repo, fc); err != nil {
		return nil, err
	}
	found := make([][]Anchor, len(set.Files))
	missing := make([]string, len(set.Files))
	for i, f := range set.Files {
		set.Changes = append(set.Changes, ChangesOf(i, f)...)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, f := range set.Files {
		g.Go(func() error {
			var err error
			found[i], err = blameFile(gctx, repo, fc.Parent, i, len(set.Files), f, set.Changes, reach[f.OldPath])
			if gitext.Unreadable(err) {
				missing[i] = fmt.Sprintf("%q was not traced: %s", szz.Clipped(f.OldPath), szz.WhyUnread(err))
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range found {
		set.Anchors = append(set.Anchors, found[i]...)
		if missing[i] != "" {
			set.Notes = append(set.Notes, missing[i])
		}
	}
	set.dropBoundary(repo.ShallowBoundary())
	return set, nil
}

// dropBoundary leaves out the lines that git charges to the boundary of a
// shallow clone: whoever wrote them is not in it.
func (s *AnchorSet) dropBoundary(boundary map[gitext.OID]bool) {
	all := len(s.Anchors)
	s.Anchors = slices.DeleteFunc(s.Anchors, func(a Anchor) bool { return boundary[a.Owner] })
	switch n := all - len(s.Anchors); {
	case n == 0:
	case n == all:
		s.Beyond = true
		s.Notes = append(s.Notes, fmt.Sprintf("all of the %d traced lines are older than this shallow clone, which does not have the commits that wrote them; type git fetch --unshallow", n))
	default:
		s.Notes = append(s.Notes, fmt.Sprintf("%d of the %d traced lines are older than this shallow clone; type git fetch --unshallow", n, all))
	}
}

// tracedFiles are the files that the fix's parent has, text only: code when
// the fix changes code, tests and the rest otherwise.
func tracedFiles(p *gitext.Patch) []*gitext.FileChange {
	var all, code, nontest []*gitext.FileChange
	for i := range p.Files {
		f := &p.Files[i]
		if f.Submodule || f.Binary || f.Status == 'A' || len(f.Hunks) == 0 {
			continue
		}
		all = append(all, f)
		switch kind := source.FileKindOf(f.OldPath); kind {
		case source.SourceFile:
			code = append(code, f)
			nontest = append(nontest, f)
		case source.TestFile:
		default:
			nontest = append(nontest, f)
		}
	}
	switch {
	case len(code) > 0:
		return code
	case len(nontest) > 0:
		return nontest
	}
	return all
}

func largestFiles(files []*gitext.FileChange, n int) []*gitext.FileChange {
	size := func(f *gitext.FileChange) (lines int) {
		for _, h := range f.Hunks {
			lines += len(h.Lines)
		}
		return lines
	}
	files = slices.Clone(files)
	sort.SliceStable(files, func(i, j int) bool { return size(files[i]) > size(files[j]) })
	return files[:n]
}

// functionReach asks git for the extent of the functions that the fix touches:
// the hunks of `diff -W`, in old line numbers.
func functionReach(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, files []*gitext.FileChange) (map[string][]gitext.LineRange, error) {
	reach := map[string][]gitext.LineRange{}
	if fc.Fix == "" {
		return reach, nil // an uncommitted fix: context lines only
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.OldPath)
		if f.NewPath != f.OldPath && f.NewPath != "" {
			paths = append(paths, f.NewPath)
		}
	}
	p, err := repo.Patch(ctx, fc.Parent, fc.Fix, gitext.PatchOptions{FunctionContext: true, Renames: true, Paths: paths})
	if gitext.Unreadable(err) {
		return reach, nil // context lines only
	}
	if err != nil {
		return nil, err
	}
	for _, f := range p.Files {
		for _, h := range f.Hunks {
			if h.OldLines > 0 {
				reach[f.OldPath] = append(reach[f.OldPath], gitext.LineRange{Start: h.OldStart, End: h.OldStart + h.OldLines - 1})
			}
		}
	}
	return reach, nil
}

// ChangesOf cuts the hunks of one file into changes.
func ChangesOf(index int, f *gitext.FileChange) []Change {
	var runs []Change
	for _, h := range f.Hunks {
		at := h.OldStart // the old line that comes next
		if h.OldLines == 0 {
			at++ // "@@ -5,0": the insertion is behind line 5
		}
		var cur *Change
		for _, l := range h.Lines {
			if l.Op == ' ' {
				cur = nil
				at++
				continue
			}
			if cur == nil {
				runs = append(runs, Change{file: index, oldStart: at})
				cur = &runs[len(runs)-1]
			}
			if l.Op == '-' {
				cur.Removed = append(cur.Removed, l)
				at++
			} else {
				cur.Added = append(cur.Added, l)
			}
		}
	}
	return slices.DeleteFunc(runs, Change.stamps)
}

// versionStamp is a keyword that CVS or Subversion filled in, such as
// "$Id: a.c,v 1.2 2026/07/16 nicm Exp $".
var versionStamp = source.Lazy(`\$[A-Z][A-Za-z0-9]*: [^$]* \$`)

// stamps says that a change is the work of the version control alone: every
// commit rewrites such a line, whatever it is about.
func (r Change) stamps() bool {
	for _, lines := range [2][]gitext.PatchLine{r.Removed, r.Added} {
		for _, l := range lines {
			if !versionStamp().Match(l.Text) {
				return false
			}
		}
	}
	return true
}

// Tokens counts the names of the removed and of the added lines.
func (s *AnchorSet) Tokens() (removed, added source.Bag) {
	removed, added = source.Bag{}, source.Bag{}
	for _, r := range s.Changes {
		for _, l := range r.Removed {
			removed.AddCode(l.Text)
		}
		for _, l := range r.Added {
			added.AddCode(l.Text)
		}
	}
	return removed, added
}

// Ghost says that the fix takes out no line of the files that are traced, so
// that no blame leads to its culprit.
func (s *AnchorSet) Ghost() bool {
	return !slices.ContainsFunc(s.Changes, func(r Change) bool { return len(r.Removed) > 0 })
}

func (r *Change) oldEnd() int { return r.oldStart + len(r.Removed) - 1 }

// blameFile makes the anchors of one file and gives each its owner.
func blameFile(ctx context.Context, repo *gitext.Repo, parent gitext.OID, index, files int, f *gitext.FileChange, runs []Change, reach []gitext.LineRange) ([]Anchor, error) {
	blob, err := repo.BlobAt(ctx, parent, f.OldPath, maxBlobBytes)
	if err != nil {
		return nil, err
	}
	total := bytes.Count(blob, []byte("\n"))
	if len(blob) > 0 && blob[len(blob)-1] != '\n' {
		total++
	}
	anchors := placeAnchors(index, runs, reach, total)
	if len(anchors) == 0 {
		return nil, nil
	}
	lines, err := repo.Blame(ctx, parent, f.OldPath, gitext.BlameOptions{Ranges: coveringRanges(anchors), IgnoreSpace: true})
	if err != nil {
		return nil, err
	}
	byLine := make(map[int]gitext.BlameLine, len(lines))
	for _, l := range lines {
		byLine[l.Line] = l
	}
	var kinds []source.LineKind
	if len(blob) <= kindBytes(files) {
		kinds = source.LineKinds(f.OldPath, blob, anchors[len(anchors)-1].Line)
	}
	kept := anchors[:0]
	for _, a := range anchors {
		b, ok := byLine[a.Line]
		if !ok {
			continue
		}
		a.Owner, a.Path, a.OrigLine, a.Text = b.Commit, b.Path, b.OrigLine, b.Text
		a.previous, a.prevPath = b.Previous, b.PreviousPath
		if a.Line-1 < len(kinds) {
			a.Kind = kinds[a.Line-1]
		}
		kept = append(kept, a)
	}
	return kept, nil
}

// kindBytes is how large one of so many files may be for its comments to be
// told apart. It goes by their number: what becomes of one file must not depend
// on which of the others was read first.
func kindBytes(files int) int { return min(maxKindBytes, maxKindsBytes/max(files, 1)) }

// placeAnchors decides which of a file's lines matter and why.
func placeAnchors(index int, runs []Change, reach []gitext.LineRange, total int) []Anchor {
	byLine := map[int]Anchor{}
	put := func(a Anchor) {
		if a.Line < 1 || a.Line > total {
			return
		}
		old, ok := byLine[a.Line]
		if !ok || a.Role < old.Role || a.Role == old.Role && a.Distance < old.Distance {
			byLine[a.Line] = a
		}
	}
	for i := range runs {
		r := &runs[i]
		if r.file != index {
			continue
		}
		base := Anchor{File: index, Change: i, Inserts: len(r.Removed) == 0}
		for _, l := range r.Removed {
			a := base
			a.Line, a.Role = l.Old, RoleDeleted
			put(a)
		}
		before, after := r.oldStart-1, r.oldEnd()+1
		for d := 1; d <= maxFunctionReach; d++ {
			for _, line := range [2]int{before - d + 1, after + d - 1} {
				a := base
				a.Line, a.Distance, a.Role = line, d, RoleContext
				if d > szz.ContextLines {
					if !inRanges(reach, line) {
						continue
					}
					a.Role = RoleFunction
				}
				put(a)
			}
		}
	}
	anchors := make([]Anchor, 0, len(byLine))
	for _, a := range byLine {
		anchors = append(anchors, a)
	}
	sort.Slice(anchors, func(i, j int) bool { return anchors[i].Line < anchors[j].Line })
	return anchors
}

func inRanges(ranges []gitext.LineRange, line int) bool {
	for _, r := range ranges {
		if r.Start <= line && line <= r.End {
			return true
		}
	}
	return false
}

// coveringRanges joins sorted lines into few ranges: git's blame costs by
// range as well as by line.
func coveringRanges(anchors []Anchor) []gitext.LineRange {
	var out []gitext.LineRange
	for _, a := range anchors {
		if n := len(out); n > 0 && a.Line <= out[n-1].End+8 {
			out[n-1].End = max(out[n-1].End, a.Line)
			continue
		}
		out = append(out, gitext.LineRange{Start: a.Line, End: a.Line})
	}
	return out
}
