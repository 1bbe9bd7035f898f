// Package risk says what history shows about a change before it becomes a commit: that it undoes an
// earlier commit, removes a check that a fix added, changes lines that were fixed again and again,
// resembles a change that was reverted, or leaves out a file that always changes along.
//
// Promises: a finding is a fact about commits in the history of the change's parent, and has the git
// command that checks it. Where history shows nothing, there is no finding. The answer depends only
// on the repository's objects, the options and the version of this package. It never reads the
// message of the change for the score, so a staged change and its later commit have the same score.
//
// [Answer.Score] ranks changes. Its model is fitted to commits that a later commit named in a Fixes:
// trailer, against other commits of the same authors; cmd/train fits and measures it.
//
// Limits: one search of history finds the last commits that changed the files, at most 150 of them
// for at most 12 files. Older history is only seen along the changed lines and, if there is an index
// of changed lines, in the texts of the change.
package risk

import (
	"cmp"
	"context"
	"slices"

	"git-agent/agent/szz"
	"git-agent/gitext"
)

// A Kind is what history shows.
type Kind string

// These are the kinds, those that ask most for a second look first.
const (
	Undoes       Kind = "undoes"        // the change reverses an earlier commit
	RemovesCheck Kind = "removes-check" // it removes a check that a fix added
	Reverted     Kind = "reverted"      // it resembles a commit that was reverted
	OftenFixed   Kind = "often-fixed"   // it changes lines that several fixes changed
	Sibling      Kind = "sibling"       // it leaves out a file that always changes along
)

// kinds lists the kinds in the order of findings.
var kinds = []Kind{Undoes, RemovesCheck, Reverted, OftenFixed, Sibling}

// A Finding is one fact.
type Finding struct {
	Kind    Kind
	Text    string // a sentence without a full stop, with the commits as short names
	Path    string // at the parent of the change
	Line    int    // at the parent; 0 if the finding is about the whole file
	Commits []gitext.Commit
	Command string // a shell-quoted git command that shows the fact
}

// An Answer is what history shows about one change.
type Answer struct {
	Fix, Parent gitext.OID // Fix "" for an uncommitted change
	Commit      gitext.Commit
	Files       int     // number of files that the change changes
	Score       float64 // the share of ordinary commits that look less risky, from 0 to 1; 0 of a change of documents alone
	Findings    []Finding
	Index       bool // an index of changed lines was asked
	Notes       []string

	features []float64
}

// Features returns the inputs of the score, in the order of Names.
func (v *Answer) Features() []float64 { return v.features }

// Assess answers for the change that a question of szz names as a fix.
func Assess(ctx context.Context, repo *gitext.Repo, q szz.Question) (*Answer, error) {
	q.Annotations = true // the message is read as it is, because it may name what is found
	fc, err := szz.NewContext(ctx, repo, q.Fix, q.Context())
	if err != nil {
		return nil, err
	}
	v := &Answer{Fix: fc.Fix, Parent: fc.Parent, Commit: fc.Commit, Index: fc.Index, Notes: slices.Clone(fc.Notes)}
	if whole := fc.WholePatch(); whole != nil {
		v.Files = len(whole.Files)
	}
	if fc.Parent == "" {
		v.Notes = append(v.Notes, "a root commit has no history")
		v.features = make([]float64, len(Names()))
		return v, nil
	}
	if len(fc.Commit.Parents) > 1 {
		v.Notes = append(v.Notes, "a merge brings changes of other commits, which are assessed themselves")
		v.features = make([]float64, len(Names()))
		return v, nil
	}
	c := readChange(fc)
	past, err := readPast(ctx, repo, fc, c)
	if err != nil {
		return nil, err
	}
	s := &study{repo: repo, fc: fc, change: c, past: past, answer: v, found: map[Kind]float64{}}
	for _, look := range []func(context.Context) error{s.undone, s.lines, s.resembles, s.siblings, s.texts} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(v.Findings, func(a, b Finding) int {
		return cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind))
	})
	v.features = s.features()
	if !c.documents {
		v.Score = score(v.features, v.Index)
	}
	return v, nil
}

// A study is the work on one change.
type study struct {
	repo   *gitext.Repo
	fc     *szz.FixContext
	change *change
	past   *past
	answer *Answer

	found   map[Kind]float64 // how strong the findings of each kind are, also those too weak to be shown
	traced  traced
	removed []removedCheck
	named   named
}

// add adds a finding.
func (s *study) add(f Finding) { s.answer.Findings = append(s.answer.Findings, f) }
