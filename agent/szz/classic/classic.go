// Package classic implements the published variants of SZZ: B, AG, MA, L, R and RA. They
// blame the lines that a fix deletes and differ in the lines that count and the commits
// that they look through.
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

// massFiles is the largest number of changed files of an ordinary commit; a commit of
// more files is a mass change. AG-SZZ and the variants made from it look through mass
// changes. 20 is the default of the reference implementation, which its published answers
// used.
const massFiles = 20

// maxRounds bounds the search for commits to look through. Each round ignores at least
// one more commit, so the search ends by itself. A history that takes this many rounds is
// a chain of mass changes, and the last round gives the answer.
const maxRounds = 64

// rules say how a classic variant differs from plain blame.
type rules struct {
	space    bool // blame -w
	comments bool // drop deleted lines inside comments
	blanks   bool // drop blank deleted lines
	cosmetic bool // drop the fix's format-only changes, look through format-only commits
	mass     bool // look through commits of more than massFiles files
	moves    bool // blame -M
	copies   int  // number of -C options of blame
	meta     bool // look through merges, renames, copies, mode changes
	refactor bool // leave out refactored lines and look behind refactorings, see refactor.go
	// pick chooses one of the candidates; nil answers with all of them.
	pick        picker
	superlative string // the word for pick's choice, such as "latest"
}

// A picker chooses one of the candidates, which are sorted and at least one.
type picker func(context.Context, *tracer, []gitext.OID) (gitext.OID, error)

// variants holds the classic variants, from the papers and from pyszz_v2
// (github.com/grosa1/pyszz_v2). All start from the lines that the fix deletes or
// modifies in files that it did not create, and blame these lines at the fix's
// parent.
//
//	b   Śliwerski et al., MSR 2005: plain blame of all these lines.
//	ag  Kim et al., ASE 2006: blame -w; drops lines inside comments and blank
//	    lines, and looks through format-only changes and commits of more than
//	    20 files.
//	ma  da Costa et al., TSE 2017: ag with blame -M -C; also looks through merges
//	    and commits that rename or copy the file or change its mode.
//	r   Davies et al., 2014: the latest of ma's answers by committer date.
//	l   Davies et al., 2014: the largest of ma's answers by changed lines.
//	ra  Neto et al., SANER 2018: ma without the lines that the fix refactors;
//	    also looks behind refactorings (see refactor.go).
//
// Differences from pyszz_v2, with reasons:
//
//   - ag and its heirs drop blank lines and format-only changes, like Kim et al.;
//     pyszz_v2 keeps them.
//   - A lexer finds the comments, in the file before the fix.
//   - A format-only commit, a merge or a commit of more than 20 files is never the
//     answer; pyszz_v2 may fall back to merges. A commit that renames a file and
//     also changes the line may be the answer, as in pyszz_v2.
//   - The commits looked through in one file do not depend on other files.
//   - A merge fix is read against its first parent; pyszz_v2 finds nothing.
//   - Topology (r) and object id break ties, so the answer is always the same.
//   - Reverts are not looked through; pyszz_v2's *+.yml configurations do so.
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

// Trace answers with a classic variant.
func Trace(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, variant string) (*szz.Answer, error) {
	r, ok := variants[variant]
	if !ok {
		return nil, fmt.Errorf("unknown variant %q", variant)
	}
	return traceBy(ctx, repo, fc, variant, r)
}

func traceBy(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, variant string, r rules) (*szz.Answer, error) {
	v := &szz.Answer{Fix: fc.Fix, Parent: fc.Parent, Engine: "offline", Algorithm: variant}
	if fc.Parent == "" {
		v.Notes = append(v.Notes, "a root commit has no history to trace")
		return v, nil
	}
	t := newTracer(repo, fc, r)
	if err := t.trace(ctx); err != nil {
		return nil, err
	}
	if err := t.answer(ctx, v); err != nil {
		return nil, err
	}
	v.Notes = append(v.Notes, t.notes...)
	return v, nil
}

// A tracer answers for one fix with one variant.
type tracer struct {
	repo  *gitext.Repo
	fc    *szz.FixContext
	rules rules
	most  int // blamed files of the fix
	files []*traceFile
	known map[gitext.OID]*commitFacts
	notes []string
	lexed int // bytes of files lexed so far
}

// A traceFile is a file at a revision with its blamed lines. The first ones are the fix's
// files at its parent. refactor.go adds others, further back in history, whose lines
// stand for lines of the fix.
type traceFile struct {
	target
	lines  []tracedLine
	ignore map[gitext.OID]bool // commits that are looked through
	drop   map[gitext.OID]bool // commits in ignore that cannot be the answer
	done   bool                // no further commit needs to be looked through
}

// A target is a file at a revision.
type target struct {
	rev  gitext.OID
	path string
}

// A tracedLine is a line of the fix's parent, its current position, and the result of
// blame.
type tracedLine struct {
	anchor gitext.PatchLine // Old is the line in the fix's parent
	path   string           // in the fix's parent
	line   int              // in the traceFile's revision
	blame  gitext.BlameLine
}

func newTracer(repo *gitext.Repo, fc *szz.FixContext, r rules) *tracer {
	return &tracer{repo: repo, fc: fc, rules: r, most: maxClassicFiles, known: map[gitext.OID]*commitFacts{}}
}

// trace finds the commits blamed for the lines of the fix.
func (t *tracer) trace(ctx context.Context) error {
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

// blameUntilSettled blames in rounds. Each round blames the open files, reads the facts
// about all new commits in bulk, and leaves a file open if it has a commit to look
// through. Blame starts from the fix's parent each time. Starting from the ignored commit
// was tried: it is 15 % faster over 118 fixes, but the thresholds of -M and -C depend on
// the set of requested lines, and one answer changed.
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

// divert moves lines to other files, where later rounds blame them, and returns the
// number of moved lines. way returns the new file and line, and false for a line that
// stays.
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

// plain reports whether the variant looks through no commit.
func (t *tracer) plain() bool {
	r := t.rules
	return !r.cosmetic && !r.mass && !r.meta
}

// open returns the files to blame, again or for the first time.
func (t *tracer) open() []*traceFile {
	var open []*traceFile
	for _, f := range t.files {
		if !f.done {
			open = append(open, f)
		}
	}
	return open
}

// note adds a note, each text once.
func (t *tracer) note(format string, args ...any) {
	if s := fmt.Sprintf(format, args...); !slices.Contains(t.notes, s) {
		t.notes = append(t.notes, s)
	}
}

// blameWorkers is the number of blames at the same time. A blame keeps one thread busy,
// and two leave a small machine usable while a batch traces several fixes.
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

// blame finds the origin of the file's lines with one git process. If an object is
// missing, each range is blamed alone and the lines that need the object are left out.
// The error then names the object.
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

// assign stores the result of blame and drops the lines without a result.
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

// ranges joins the file's lines to as few ranges as possible.
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
