// Package release says which releases and branches have a bug: those that contain the commit that
// introduced it, and neither the commit that fixed it nor a pick of that commit.
//
// Picks are recognized by what their messages say, by the author, date and subject that git
// cherry-pick keeps, and by equal changes. A pick of the culprit brings the bug as the culprit does.
// What a commit contains is read from one walk over the history since the culprit. Messages are read
// only for commits that a release contains and the history of the fix does not.
//
// The answer is no surer than the culprit is: each range has its probability. A change that was
// ported in other words, in several commits or as part of a larger one is not recognized.
//
// It also says which pull request, merge request, change or mail brought a commit into a history, as far
// as the commit's own message names it, or that of a merge that brought it. It asks no server.
package release

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/gitext"
)

// A Question asks for the releases and branches that have a bug.
type Question struct {
	Fix      gitext.OID // "" if there is none yet
	Culprits []Culprit
	Branches []string // patterns of branches, as for git branch --list
}

// A Culprit is a commit that introduced the bug.
type Culprit struct {
	Commit      gitext.Commit
	Probability float64 // 1 if it is known, 0 if its engine gives none
}

// An Answer says which releases and branches have the bug.
type Answer struct {
	Fix      *gitext.Commit // nil if there is none yet
	Culprits []Culprit
	Picks    []Pick   // of the culprits and the fix, without these
	Tags     int      // tags of the repository
	Affected []string // tags, in the order of the ranges, then others
	Ranges   []Range
	Semantic []Semantic // the ranges as those of semantic versions; nil if the tags are none
	Others   []string   // affected tags that name no version
	Unknown  []string   // tags of which a cut history does not tell
	Branches []Branch
	Notes    []string
}

// A Range is a run of affected versions.
type Range struct {
	First, Last string   // tags
	Tags        []string // all of them
	Line        string   // the release line of the last one: "v1.2.x"
	FixedIn     string   // the next version, which has the fix; "" if there is none
	Probability float64  // of the culprit
}

// maxCulprits bounds the culprits of a question, which have a bit each.
const maxCulprits = 64

// Find answers a question.
func Find(ctx context.Context, repo *gitext.Repo, q Question) (*Answer, error) {
	if len(q.Culprits) == 0 || len(q.Culprits) > maxCulprits {
		return nil, errors.New("the releases with a bug are known only if its culprit is")
	}
	f := &finder{repo: repo, question: q, answer: &Answer{Culprits: q.Culprits}}
	if err := f.read(ctx); err != nil {
		return nil, err
	}
	if err := f.findPicks(ctx); err != nil {
		return nil, err
	}
	f.judgeTags()
	f.answer.Semantic = f.answer.semanticRanges(f.tags)
	if err := f.judgeBranches(ctx); err != nil {
		return nil, err
	}
	f.note()
	return f.answer, nil
}

// A finder is the state of Find.
type finder struct {
	repo     *gitext.Repo
	question Question
	answer   *Answer
	tags     []gitext.Tag
	branches []gitext.Branch
	graph    *graph
	search   *search
	released bool // a tag has the fix
}

// read reads the tags, the branches and the history since the culprits.
func (f *finder) read(ctx context.Context) (err error) {
	if f.tags, err = f.repo.Tags(ctx); err != nil {
		return err
	}
	if f.branches, err = f.repo.Branches(ctx, f.question.Branches); err != nil {
		return err
	}
	f.answer.Tags = len(f.tags)
	var tips []gitext.OID
	for _, t := range f.tags {
		tips = append(tips, t.Commit)
	}
	for _, b := range f.branches {
		tips = append(tips, b.Commit)
	}
	for _, c := range f.question.Culprits {
		tips = append(tips, c.Commit.OID)
	}
	if f.question.Fix != "" {
		fix, err := f.repo.Commit(ctx, f.question.Fix)
		if err != nil {
			return err
		}
		f.answer.Fix = &fix
		tips = append(tips, fix.OID)
	}
	not, err := f.before(ctx)
	if err != nil {
		return err
	}
	f.graph, err = readGraph(ctx, f.repo, tips, not)
	return err
}

// before returns the commits whose histories cannot contain a culprit: the parents of the culprit,
// or of the commit in which the histories of several culprits meet.
func (f *finder) before(ctx context.Context) ([]gitext.OID, error) {
	first := f.question.Culprits[0].Commit.OID
	for _, c := range f.question.Culprits[1:] {
		base, err := f.repo.MergeBase(ctx, first, c.Commit.OID)
		if err != nil || base == "" {
			return nil, err
		}
		first = base
	}
	oldest, err := f.repo.Commit(ctx, first)
	if err != nil || f.repo.ShallowBoundary()[first] {
		return nil, err
	}
	return oldest.Parents, nil
}

// findPicks finds the picks and marks what each commit contains.
func (f *finder) findPicks(ctx context.Context) error {
	s := &search{repo: f.repo, g: f.graph, found: map[int32]bool{}}
	f.search = s
	for i, c := range f.question.Culprits {
		s.originals = append(s.originals, &original{commit: c.Commit, culprit: i})
	}
	if f.answer.Fix != nil {
		s.originals = append(s.originals, &original{commit: *f.answer.Fix, fix: true})
	}
	for _, o := range s.originals {
		o.face = faceOf(o.commit)
		o.picks = []Pick{{Commit: o.commit.OID, Of: o.commit.OID}}
		if err := f.addNamed(ctx, o); err != nil {
			return err
		}
		for _, p := range o.picks {
			if at, ok := s.g.Number[p.Commit]; ok {
				s.found[at] = true
			}
		}
	}
	f.mark()
	f.want()
	if err := s.read(ctx); err != nil {
		return err
	}
	s.follow()
	if err := s.compare(ctx); err != nil {
		return err
	}
	s.follow()
	s.reverts()
	f.mark()
	for _, o := range s.originals {
		f.answer.Picks = append(f.answer.Picks, o.picks[1:]...)
	}
	return nil
}

// addNamed adds the commits that an original itself is picked from.
func (f *finder) addNamed(ctx context.Context, o *original) error {
	ids, _ := named(o.commit.Message)
	known, err := f.repo.Abbreviated(ctx, ids)
	if err != nil {
		return err
	}
	for _, k := range known {
		if k.OID != "" && k.OID != o.commit.OID && !slices.ContainsFunc(o.picks, func(p Pick) bool { return p.Commit == k.OID }) {
			o.picks = append(o.picks, Pick{Commit: k.OID, Of: o.commit.OID, How: "the message of " + o.commit.OID.Short() + " names it"})
		}
	}
	return nil
}

// mark marks the commits that contain a culprit or the fix, or picks of them.
func (f *finder) mark() {
	for _, o := range f.search.originals {
		for _, p := range o.picks {
			at, ok := f.graph.Number[p.Commit]
			switch {
			case !ok:
			case o.fix || p.Revert:
				f.graph.marks[at] |= hasFix
			default:
				f.graph.bugs[at] |= 1 << o.culprit
			}
		}
	}
	f.graph.spread()
}

// want marks the commits that may be picks: those of the histories of tags and branches that lack
// the fix or a culprit, unless they come before the fix or after a culprit.
func (f *finder) want() {
	g := f.graph
	if f.answer.Fix != nil {
		if at, ok := g.Number[f.answer.Fix.OID]; ok {
			g.markHistory([]int32{at}, beforeFix)
		}
	}
	var lack, clear []int32
	for _, oid := range f.tips() {
		at, ok := g.Number[oid]
		if !ok {
			continue
		}
		if g.marks[at]&hasFix == 0 {
			lack = append(lack, at)
		}
		if g.bugs[at] == 0 {
			clear = append(clear, at)
		}
	}
	g.markHistory(lack, underLack)
	g.markHistory(clear, underClear)
	for i, m := range g.marks {
		if m&underLack != 0 && m&beforeFix == 0 || m&underClear != 0 && g.bugs[i] == 0 {
			g.marks[i] |= wanted
		}
	}
}

// tips lists the commits of the tags and branches.
func (f *finder) tips() []gitext.OID {
	var tips []gitext.OID
	for _, t := range f.tags {
		tips = append(tips, t.Commit)
	}
	for _, b := range f.branches {
		tips = append(tips, b.Commit)
	}
	return tips
}

// judge says what a commit contains. One that is not in the graph is older than the culprits.
func (f *finder) judge(oid gitext.OID) (at int32, bug, fixed, unknown bool, p float64) {
	at, ok := f.graph.Number[oid]
	if !ok {
		return -1, false, false, false, 0
	}
	for i, c := range f.question.Culprits {
		if f.graph.bugs[at]&(1<<i) != 0 {
			p, bug = max(p, c.Probability), true
		}
	}
	m := f.graph.marks[at]
	return at, bug, m&hasFix != 0, !bug && m&isCut != 0, p
}

// judgeTags finds the affected tags.
func (f *finder) judgeTags() {
	states := make([]tagState, len(f.tags))
	for i, t := range f.tags {
		at, bug, fixed, unknown, p := f.judge(t.Commit)
		states[i] = tagState{Tag: t, at: at, affected: bug && !fixed, fixed: bug && fixed, p: p}
		f.released = f.released || fixed
		if unknown {
			f.answer.Unknown = append(f.answer.Unknown, t.Name)
		}
	}
	f.answer.Ranges, f.answer.Others = f.graph.compress(states)
	for _, r := range f.answer.Ranges {
		f.answer.Affected = append(f.answer.Affected, r.Tags...)
	}
	f.answer.Affected = append(f.answer.Affected, f.answer.Others...)
}

// note says what limits the answer.
func (f *finder) note() {
	note := func(format string, args ...any) {
		f.answer.Notes = append(f.answer.Notes, fmt.Sprintf(format, args...))
	}
	if n := len(f.answer.Unknown); n > 0 {
		note("the history of the clone is cut: of %s it is not known whether the bug is there", agent.Plural(n, "tag"))
	} else if f.repo.Shallow() {
		note("the history of the clone is cut, and may lack tags")
	}
	if len(f.tags) == 0 {
		note("the repository has no tag")
	} else if f.answer.Fix != nil && len(f.answer.Affected) > 0 && !f.released {
		note("no tag has the fix yet")
	}
	if n := f.search.left; n > 0 {
		note("%s were not searched for picks", agent.Plural(n, "older commit"))
	}
}
