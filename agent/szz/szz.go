// Package szz defines the question of Śliwerski, Zimmermann and Zeller (MSR 2005)
// and the form of its answer: which commits introduced the bug that this commit
// fixes?
//
// [NewContext] reads a fix into a [FixContext]. An engine answers with a [Answer]:
// bug-introducing commits, best first, each with evidence that a reader can check.
// The engines are packages of their own. Package offline, with rank and classic,
// needs a git repository and nothing else. Package detect asks a model. Package
// verify confirms the suspects by running a command.
//
// Promises of the offline engine: the answer depends on the repository's
// objects, the options and the version of these packages only, never on the
// caller's git configuration, on the clock or on map order. Nothing is written
// to the repository. A blob that the clone lacks costs the lines that need it and
// is named in the notes. It never costs the whole answer.
//
// An opinion beside an annotation (Answer.Opinion), which package engine adds, is the
// exception: the ranking is given a bounded time for it, and a note says if that ended.
//
// Limits: a merge commit is read as its patch against its first parent; a
// commit outside the history of the fix's parent is never a suspect.
package szz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// A FixContext is all that an engine may see of a fix.
type FixContext struct {
	Fix    gitext.OID // "" for an uncommitted fix; Parent is then HEAD
	Parent gitext.OID // first parent; "" for a root commit
	Commit gitext.Commit
	// Message is the message without trailers, and without the names of commits when
	// ContextOptions.NoAnnotations is set. Prose is what the ranking counts of it.
	Message     string
	Prose       string
	Date        time.Time     // upper bound of every search
	Patch       *gitext.Patch // Parent..Fix with three lines of context
	Annotations []Annotation  // culprits that the message names
	Mask        *Mask         // hides the names of commits; nil unless the fix is read without annotations
	Notes       []string      // what is odd about this fix, a sentence each
	Index       bool          // the ranking asks the repository's index of changed lines, if there is one

	leftOut bool // some files could not be read
}

// An Annotation is a culprit that a message names: that of the fix, or that of a
// commit which the fix merges.
type Annotation struct {
	Commit   gitext.OID
	Kind     string // AnnotationTrailer, AnnotationProse or AnnotationRevert
	Text     string // the words of the message
	Subject  string // the subject that the message quotes, "" if it quotes none
	Formal   bool   // prose, but a line such as "Fixes: <hash>" that stands above other paragraphs
	Verified bool   // the commit exists, is an ancestor of the fix and has the quoted subject
	Problem  string // why it is not verified
	// In is the commit with the message: the fix, or one of the few that a merge
	// brings; "" for an uncommitted fix.
	In gitext.OID
}

// The kinds of annotations.
const (
	AnnotationTrailer = "fixes-trailer"
	AnnotationProse   = "prose"
	AnnotationRevert  = "revert"
)

// A Answer is the answer for one fix.
type Answer struct {
	Fix, Parent gitext.OID
	Engine      string       // "offline" or "agent"
	Algorithm   string       // an element of Algorithms, "annotation" or "agent"
	Suspects    []Suspect    // best first; a set for b, ag, ma and ra
	Owner       *Suspect     // the commit that wrote most of the code that the fix removes, where the suspects are others; else nil
	Opinion     *Suspect     // whom the ranking suspects instead of what an annotation names; nil where it has no strong opinion or was not asked
	Candidates  []gitext.OID // every commit considered, suspects included
	Notes       []string
	Agent       *AgentReport // how a model came to it; nil when none was asked
	Index       bool         // the ranking asked an index of changed lines
	Incomplete  []string     // what the clone lacked for a complete answer: agent.LacksObjects, LacksHistory; nil if nothing
	Sandbox     string       // the sandbox.Level that confined the command of package verify; "" when none was run
}

// LacksHistory in Answer.Incomplete says that the clone is shallow, and older history was
// not searched.
const LacksHistory = "shallow"

// A Suspect is a commit that may have introduced the bug. The probability is
// calibrated by rank, and for a model by a calibration that was made for it. Package
// fixlike lowers it for a fix that looks like none.
type Suspect struct {
	suspect.Suspect
	// Prior is the probability before a command ran that changed it (package verify),
	// and 0 if none did.
	Prior float64
	Vote  *Vote  // what the probability was made of; nil where no model named it
	Type  string // how it introduced the bug, one of ClaimTypes; "" where no model named it
}

// Algorithms lists what Question.Algorithm takes, the default first.
var Algorithms = []string{"rank", "b", "ag", "ma", "l", "r", "ra"}

// AllNotes returns the notes about the fix and about its annotations.
func (fc *FixContext) AllNotes() []string {
	return append(slices.Clone(fc.Notes), annotationNotes(fc.Annotations)...)
}

// Settle answers the fixes for which no engine is needed, and returns nil for the
// others. Verified annotations are the answer, with the algorithm "annotation". A
// fix that leaves nothing to trace gives an answer without suspects, which names the
// algorithm that was asked for, and a note that says why.
func Settle(ctx context.Context, repo *gitext.Repo, fc *FixContext, algorithm string) (*Answer, error) {
	v, err := annotated(ctx, repo, fc)
	switch {
	case v != nil || err != nil:
		return v, err
	case fc.Parent == "":
		return &Answer{Algorithm: algorithm, Notes: []string{"a root commit has no history to trace"}}, nil
	case len(fc.Patch.Files) == 0: // its notes say why
		return &Answer{Algorithm: algorithm}, nil
	case !changesLines(fc.Patch):
		return &Answer{Algorithm: algorithm, Notes: []string{"the fix changes no line of text, so there is nothing to trace"}}, nil
	}
	return nil, nil
}

// Offline completes an answer of the offline engine: it fills in the fix, puts the
// fix's notes before the others, and keeps the first max suspects, or all of them
// when max is 0.
func (v *Answer) Offline(fc *FixContext, max int) *Answer {
	v.Fix, v.Parent, v.Engine = fc.Fix, fc.Parent, "offline"
	v.Notes = append(fc.AllNotes(), v.Notes...)
	if max > 0 && len(v.Suspects) >= max {
		v.Suspects, v.Owner = v.Suspects[:max], nil
	}
	return v
}

// Note adds a note to the answer.
func (v *Answer) Note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}
