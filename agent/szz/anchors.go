package szz

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sort"

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
type role int

const (
	roleDeleted role = iota
	roleContext
	roleFunction
)

// An anchor is one line of the parent and its owner.
type anchor struct {
	file     int // index into anchorSet.files
	line     int // 1-based, in the parent
	run      int // which change it belongs to or is nearest to
	role     role
	distance int  // lines to the nearest change; 0 for deleted lines
	inserts  bool // the nearest change only adds lines
	kind     LineKind
	text     []byte
	owner    gitext.OID
	path     string // where the owner had it
	origLine int
	previous gitext.OID
	prevPath string
}

// A run is one maximal block of removed and added lines.
type run struct {
	file           int
	oldStart       int // the first removed line, or the line the insertion precedes
	removed, added []gitext.PatchLine
}

// anchorSet holds the lines that the ranker starts from.
type anchorSet struct {
	files     []*gitext.FileChange // that were blamed
	runs      []run
	anchors   []anchor
	functions map[string]bool                      // names of the functions that the fix changes
	second    []gitext.OID                         // owners of the lines that deleted lines had replaced, one entry a line
	origins   map[shareKind]map[gitext.OID]float64 // words that each wrote, by whose votes they are
	named     []named                              // lines of other files that use rare names of the fix
	beyond    bool                                 // a shallow clone lacks the owners of all lines
	notes     []string
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

// findAnchors picks the files worth tracing and blames their lines.
func findAnchors(ctx context.Context, repo *gitext.Repo, fc *FixContext) (*anchorSet, error) {
	set := &anchorSet{}
	set.files = tracedFiles(fc.Patch)
	if n := len(set.files); n > maxBlamedFiles {
		set.notes = append(set.notes, fmt.Sprintf("%d files changed; the %d with most changed lines were traced", n, maxBlamedFiles))
		set.files = largestFiles(set.files, maxBlamedFiles)
	}
	if len(set.files) == 0 {
		return set, nil
	}
	reach, err := functionReach(ctx, repo, fc, set.files)
	if err != nil {
		return nil, err
	}
	if set.functions, err = fixFunctions(ctx, repo, fc); err != nil {
		return nil, err
	}
	found := make([][]anchor, len(set.files))
	missing := make([]string, len(set.files))
	for i, f := range set.files {
		set.runs = append(set.runs, fileRuns(i, f)...)
	}
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(2)
	for i, f := range set.files {
		g.Go(func() error {
			var err error
			found[i], err = blameFile(gctx, repo, fc.Parent, i, len(set.files), f, set.runs, reach[f.OldPath])
			if gitext.Unreadable(err) {
				missing[i] = fmt.Sprintf("%q was not traced: %s", clipped(f.OldPath), reason(err))
				return nil
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i := range found {
		set.anchors = append(set.anchors, found[i]...)
		if missing[i] != "" {
			set.notes = append(set.notes, missing[i])
		}
	}
	set.dropBoundary(repo.ShallowBoundary())
	return set, nil
}

// dropBoundary leaves out the lines that git charges to the boundary of a
// shallow clone: whoever wrote them is not in it.
func (s *anchorSet) dropBoundary(boundary map[gitext.OID]bool) {
	all := len(s.anchors)
	s.anchors = slices.DeleteFunc(s.anchors, func(a anchor) bool { return boundary[a.owner] })
	switch n := all - len(s.anchors); {
	case n == 0:
	case n == all:
		s.beyond = true
		s.notes = append(s.notes, fmt.Sprintf("all of the %d traced lines are older than this shallow clone, which does not have the commits that wrote them; type git fetch --unshallow", n))
	default:
		s.notes = append(s.notes, fmt.Sprintf("%d of the %d traced lines are older than this shallow clone; type git fetch --unshallow", n, all))
	}
}

// tracedFiles are the files that the fix's parent has, text only: source when
// the fix changes source, tests and the rest otherwise.
func tracedFiles(p *gitext.Patch) []*gitext.FileChange {
	var all, source, nontest []*gitext.FileChange
	for i := range p.Files {
		f := &p.Files[i]
		if f.Submodule || f.Binary || f.Status == 'A' || len(f.Hunks) == 0 {
			continue
		}
		all = append(all, f)
		switch kind := pathKind(f.OldPath); kind {
		case pathSource:
			source = append(source, f)
			nontest = append(nontest, f)
		case pathTest:
		default:
			nontest = append(nontest, f)
		}
	}
	switch {
	case len(source) > 0:
		return source
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
func functionReach(ctx context.Context, repo *gitext.Repo, fc *FixContext, files []*gitext.FileChange) (map[string][]gitext.LineRange, error) {
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

// fileRuns cuts the hunks of one file into changes.
func fileRuns(index int, f *gitext.FileChange) []run {
	var runs []run
	for _, h := range f.Hunks {
		at := h.OldStart // the old line that comes next
		if h.OldLines == 0 {
			at++ // "@@ -5,0": the insertion is behind line 5
		}
		var cur *run
		for _, l := range h.Lines {
			if l.Op == ' ' {
				cur = nil
				at++
				continue
			}
			if cur == nil {
				runs = append(runs, run{file: index, oldStart: at})
				cur = &runs[len(runs)-1]
			}
			if l.Op == '-' {
				cur.removed = append(cur.removed, l)
				at++
			} else {
				cur.added = append(cur.added, l)
			}
		}
	}
	return slices.DeleteFunc(runs, run.stamps)
}

// versionStamp is a keyword that CVS or Subversion filled in, such as
// "$Id: a.c,v 1.2 2026/07/16 nicm Exp $".
var versionStamp = lazy(`\$[A-Z][A-Za-z0-9]*: [^$]* \$`)

// stamps says that a change is the work of the version control alone: every
// commit rewrites such a line, whatever it is about.
func (r run) stamps() bool {
	for _, lines := range [2][]gitext.PatchLine{r.removed, r.added} {
		for _, l := range lines {
			if !versionStamp().Match(l.Text) {
				return false
			}
		}
	}
	return true
}

// tokens counts the names of the removed and of the added lines.
func (s *anchorSet) tokens() (removed, added bag) {
	removed, added = bag{}, bag{}
	for _, r := range s.runs {
		for _, l := range r.removed {
			removed.addCode(l.Text)
		}
		for _, l := range r.added {
			added.addCode(l.Text)
		}
	}
	return removed, added
}

// ghost says that the fix takes out no line of the files that are traced, so
// that no blame leads to its culprit.
func (s *anchorSet) ghost() bool {
	return !slices.ContainsFunc(s.runs, func(r run) bool { return len(r.removed) > 0 })
}

func (r *run) oldEnd() int { return r.oldStart + len(r.removed) - 1 }

// blameFile makes the anchors of one file and gives each its owner.
func blameFile(ctx context.Context, repo *gitext.Repo, parent gitext.OID, index, files int, f *gitext.FileChange, runs []run, reach []gitext.LineRange) ([]anchor, error) {
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
	var kinds []LineKind
	if len(blob) <= kindBytes(files) {
		kinds = lineKindsTo(f.OldPath, blob, anchors[len(anchors)-1].line)
	}
	kept := anchors[:0]
	for _, a := range anchors {
		b, ok := byLine[a.line]
		if !ok {
			continue
		}
		a.owner, a.path, a.origLine, a.text = b.Commit, b.Path, b.OrigLine, b.Text
		a.previous, a.prevPath = b.Previous, b.PreviousPath
		if a.line-1 < len(kinds) {
			a.kind = kinds[a.line-1]
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
func placeAnchors(index int, runs []run, reach []gitext.LineRange, total int) []anchor {
	byLine := map[int]anchor{}
	put := func(a anchor) {
		if a.line < 1 || a.line > total {
			return
		}
		old, ok := byLine[a.line]
		if !ok || a.role < old.role || a.role == old.role && a.distance < old.distance {
			byLine[a.line] = a
		}
	}
	for i := range runs {
		r := &runs[i]
		if r.file != index {
			continue
		}
		base := anchor{file: index, run: i, inserts: len(r.removed) == 0}
		for _, l := range r.removed {
			a := base
			a.line, a.role = l.Old, roleDeleted
			put(a)
		}
		before, after := r.oldStart-1, r.oldEnd()+1
		for d := 1; d <= maxFunctionReach; d++ {
			for _, line := range [2]int{before - d + 1, after + d - 1} {
				a := base
				a.line, a.distance, a.role = line, d, roleContext
				if d > contextLines {
					if !inRanges(reach, line) {
						continue
					}
					a.role = roleFunction
				}
				put(a)
			}
		}
	}
	anchors := make([]anchor, 0, len(byLine))
	for _, a := range byLine {
		anchors = append(anchors, a)
	}
	sort.Slice(anchors, func(i, j int) bool { return anchors[i].line < anchors[j].line })
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
func coveringRanges(anchors []anchor) []gitext.LineRange {
	var out []gitext.LineRange
	for _, a := range anchors {
		if n := len(out); n > 0 && a.line <= out[n-1].End+8 {
			out[n-1].End = max(out[n-1].End, a.line)
			continue
		}
		out = append(out, gitext.LineRange{Start: a.line, End: a.line})
	}
	return out
}
