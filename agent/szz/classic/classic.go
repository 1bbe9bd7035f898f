// Package classic implements the published variants of SZZ: B, AG, MA, L, R and
// RA. They blame the lines that a fix deletes and differ in which lines count
// and which commits are looked through.
package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
)

// massFiles is the number of changed files above which AG-SZZ and its heirs
// take a commit for a mass change and look through it. 20 is the default of
// the reference implementation, and what its published answers used.
const massFiles = 20

// maxRounds ends the search for commits to look through. Each round ignores at
// least one commit more, so it ends by itself; a history that takes this many
// is a chain of mass changes and the answer is what the last round left.
const maxRounds = 64

// rules say how a classic variant differs from plain blame.
type rules struct {
	space    bool // blame -w
	comments bool // drop deleted lines inside comments
	blanks   bool // drop blank deleted lines
	cosmetic bool // drop the fix's format-only changes, look through format-only commits
	mass     bool // look through commits of more than massFiles files
	moves    bool // blame -M
	copies   int  // blame -C, so many times
	meta     bool // look through merges, renames, copies, mode changes
	refactor bool // see refactor.go
	// pick chooses one of the candidates; nil answers with all of them.
	pick        picker
	superlative string // what pick looks for, in a word
}

// A picker chooses one of at least one candidates, which are sorted.
type picker func(context.Context, *tracer, []gitext.OID) (gitext.OID, error)

// variants holds the classic variants, from the papers and as pyszz_v2
// (github.com/grosa1/pyszz_v2) runs them. All start from the lines that the
// fix deletes or modifies, of every file that it did not create, and blame
// them at the fix's parent.
//
//	b   Śliwerski et al., MSR 2005: plain blame of all of them.
//	ag  Kim et al., ASE 2006: blame -w; lines inside comments and blank lines
//	    are left out, changes of format only are seen through, and so are
//	    commits of more than 20 files.
//	ma  da Costa et al., TSE 2017: ag with blame -M -C; merges and commits that
//	    rename, copy or change the mode of the file are seen through.
//	r   Davies et al., 2014: the latest of ma's answers by committer date.
//	l   Davies et al., 2014: the largest of ma's answers by changed lines.
//	ra  Neto et al., SANER 2018: ma without the lines that the fix refactors,
//	    and blame goes on behind refactorings (see RefactoringsDetected).
//
// Where this is not what pyszz_v2 does, and why:
//
//   - Blank lines and format-only changes are left out by ag and its heirs, as
//     Kim et al. have it; pyszz_v2 keeps them.
//   - Comments come from a lexer, run on the file as it was before the fix.
//   - A commit that was looked through is never the answer when it changed
//     nothing but form, merged, or touched more than 20 files; pyszz_v2 may
//     fall back to merges. A commit that renames a file and also changes the
//     line stays, as there.
//   - What is looked through in one file does not depend on the files before.
//   - A merge fix is read against its first parent; pyszz_v2 finds nothing.
//   - Ties are broken by topology (r) and object id: the same answer always.
//   - Reverts are not looked through, as its *+.yml configurations do.
//   - There is no filter by issue date; no candidate is younger than the fix.
var variants = map[string]rules{
	"b":  {},
	"ag": agRules,
	"ma": maRules,
	"r":  maRules.picking("latest", latest),
	"l":  maRules.picking("largest", largest),
	"ra": maRules.refactoring(),
}

var (
	agRules = rules{space: true, comments: true, blanks: true, cosmetic: true, mass: true}
	maRules = rules{space: true, comments: true, blanks: true, cosmetic: true, mass: true, moves: true, copies: 1, meta: true}
)

func (r rules) picking(superlative string, pick picker) rules {
	r.superlative, r.pick = superlative, pick
	return r
}

func (r rules) refactoring() rules {
	r.refactor = true
	return r
}

// Trace runs one of the classic variants.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, variant string) (*szz.Verdict, error) {
	r, ok := variants[variant]
	if !ok {
		return nil, fmt.Errorf("unknown variant %q", variant)
	}
	return traceBy(ctx, repo, fc, variant, r)
}

func traceBy(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, variant string, r rules) (*szz.Verdict, error) {
	v := &szz.Verdict{Fix: fc.Fix, Parent: fc.Parent, Engine: "offline", Algorithm: variant}
	if fc.Parent == "" {
		v.Notes = append(v.Notes, "a root commit has no history to trace")
		return v, nil
	}
	t := newTracer(repo, fc, r)
	if err := t.run(ctx); err != nil {
		return nil, err
	}
	if err := t.answer(ctx, v); err != nil {
		return nil, err
	}
	v.Notes = append(v.Notes, t.notes...)
	return v, nil
}

// A tracer carries the state of one run of a variant.
type tracer struct {
	repo  *gitext.Repo
	fc    *szz.FixContext
	rules rules
	most  int // files of the fix that are blamed
	files []*traceFile
	known map[gitext.OID]*commitFacts
	notes []string
	lexed int // bytes of files
}

// A traceFile is one blame target: lines of a path at a revision. The first
// ones are the fix's files at its parent; refactor.go adds others, deeper in
// history, whose lines stand for lines of the fix.
type traceFile struct {
	target
	lines  []tracedLine
	ignore map[gitext.OID]bool // looked through
	drop   map[gitext.OID]bool // the part of ignore that cannot be the answer
	done   bool
}

type target struct {
	rev  gitext.OID
	path string
}

// A tracedLine is a line of the fix's parent and what blame says about it.
type tracedLine struct {
	anchor gitext.PatchLine // Old is the line in the fix's parent
	path   string           // in the fix's parent
	line   int              // in the traceFile's revision
	blame  gitext.BlameLine
}

func newTracer(repo *gitext.Repo, fc *szz.FixContext, r rules) *tracer {
	return &tracer{repo: repo, fc: fc, rules: r, most: maxClassicFiles, known: map[gitext.OID]*commitFacts{}}
}

// run blames in rounds: all targets, then the facts about all new commits in
// bulk, then again the targets in which something is to be looked through. Going
// on from the commit that is looked through, instead of from the fix again, was
// tried: 15 % faster over 118 fixes, but the thresholds of -M and -C depend on
// which lines are asked about together, and one answer changed.
func (t *tracer) run(ctx context.Context) error {
	if err := t.anchors(ctx); err != nil {
		return err
	}
	if t.rules.refactor {
		if err := t.dropRefactored(ctx); err != nil {
			return err
		}
	}
	if err := t.blameUntilSettled(ctx); err != nil || !t.rules.refactor {
		return err
	}
	return t.penetrate(ctx)
}

func (t *tracer) blameUntilSettled(ctx context.Context) error {
	for range maxRounds {
		open := t.open()
		if len(open) == 0 {
			return nil
		}
		if err := t.blameAll(ctx, open); err != nil {
			return err
		}
		if t.plain() {
			markDone(open)
			continue
		}
		if err := t.readFacts(ctx, open); err != nil {
			return err
		}
		for _, f := range open {
			f.done = !t.lookThrough(f)
		}
	}
	t.note("looked through %d layers of mass changes and stopped", maxRounds)
	return nil
}

func markDone(files []*traceFile) {
	for _, f := range files {
		f.done = true
	}
}

// divert moves lines to targets of their own and reports how many it moved. A
// way gives the target and the line there.
func (t *tracer) divert(way func(tracedLine) (target, int, bool)) int {
	made := map[target]*traceFile{}
	moved := 0
	for _, f := range t.files {
		kept := f.lines[:0]
		for _, l := range f.lines {
			to, line, ok := way(l)
			if !ok {
				kept = append(kept, l)
				continue
			}
			if made[to] == nil {
				made[to] = &traceFile{target: to}
				t.files = append(t.files, made[to])
			}
			made[to].lines = append(made[to].lines, tracedLine{anchor: l.anchor, path: l.path, line: line})
			moved++
		}
		f.lines = kept
	}
	return moved
}

// plain reports whether blame alone decides.
func (t *tracer) plain() bool {
	r := t.rules
	return !r.cosmetic && !r.mass && !r.meta
}

func (t *tracer) open() []*traceFile {
	var open []*traceFile
	for _, f := range t.files {
		if !f.done {
			open = append(open, f)
		}
	}
	return open
}

func (t *tracer) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(t.notes, s) {
		t.notes = append(t.notes, s)
	}
}

// blameWorkers is how many blames run at once. Blame is one busy thread; two
// keep a small machine usable while a batch runs several fixes.
const blameWorkers = 2

func (t *tracer) blameAll(ctx context.Context, files []*traceFile) error {
	errs := make([]error, len(files))
	slots := make(chan struct{}, blameWorkers)
	var wg sync.WaitGroup
	for i, f := range files {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = t.blame(ctx, f)
		})
	}
	wg.Wait()
	for i, err := range errs {
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return ctx.Err()
		case gitext.Unreadable(err):
			t.note("lines of %q are not traced: %s", suspect.ShortPath(files[i].path), gitext.WhyUnread(err))
		default:
			return fmt.Errorf("blame %q at %s: %w", files[i].path, files[i].rev.Short(), err)
		}
	}
	return nil
}

// blame fills in the origin of the file's lines, by one process. When an object
// is missing each range is tried alone and the lines that need it are given
// up; the error then names the object.
func (t *tracer) blame(ctx context.Context, f *traceFile) error {
	if len(f.lines) == 0 {
		return nil
	}
	ranges := f.ranges()
	got, err := t.repo.Blame(ctx, f.rev, f.path, t.blameOptions(f, ranges))
	var missing *gitext.MissingObjectError
	if errors.As(err, &missing) {
		got = nil
		for _, r := range ranges {
			part, err := t.repo.Blame(ctx, f.rev, f.path, t.blameOptions(f, []gitext.LineRange{r}))
			if err != nil && !gitext.Unreadable(err) {
				return err
			}
			got = append(got, part...)
		}
	} else if err != nil && !gitext.Unreadable(err) {
		return err
	}
	f.assign(got)
	return err
}

// assign keeps the lines that were blamed.
func (f *traceFile) assign(got []gitext.BlameLine) {
	byLine := make(map[int]gitext.BlameLine, len(got))
	for _, b := range got {
		byLine[b.Line] = b
	}
	kept := f.lines[:0]
	for _, l := range f.lines {
		if b, ok := byLine[l.line]; ok {
			l.blame = b
			kept = append(kept, l)
		}
	}
	f.lines = kept
}

func (t *tracer) blameOptions(f *traceFile, ranges []gitext.LineRange) gitext.BlameOptions {
	return gitext.BlameOptions{
		Ranges: ranges, IgnoreSpace: t.rules.space, Moves: t.rules.moves,
		Copies: t.rules.copies, IgnoreRevs: sortedOIDs(f.ignore),
	}
}

// ranges joins the file's lines to the fewest ranges.
func (f *traceFile) ranges() []gitext.LineRange {
	var out []gitext.LineRange
	nums := make([]int, len(f.lines))
	for i, l := range f.lines {
		nums[i] = l.line
	}
	slices.Sort(nums)
	for _, n := range nums {
		if k := len(out) - 1; k >= 0 && n <= out[k].End+1 {
			out[k].End = n
			continue
		}
		out = append(out, gitext.LineRange{Start: n, End: n})
	}
	return out
}

func sortedOIDs(set map[gitext.OID]bool) []gitext.OID {
	out := make([]gitext.OID, 0, len(set))
	for o := range set {
		out = append(out, o)
	}
	slices.Sort(out)
	return out
}
