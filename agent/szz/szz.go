// Package szz defines the question of Śliwerski, Zimmermann and Zeller (MSR 2005), which
// commits introduced the bug that this commit fixes, and the form of its answer.
//
// [NewContext] reads a fix into a [FixContext]. An engine answers with an [Answer]:
// bug-introducing commits, best first, each with evidence that a reader can check. The
// engines are in packages of their own. Package offline, with rank and classic, needs
// only a git repository. Package investigate asks a model. Package verify confirms the
// suspects by running a command.
//
// Promises of the offline engine: the answer depends only on the repository's objects,
// the options and the version of these packages, never on the caller's git configuration,
// on the clock or on map order. Nothing is written to the repository. If the clone lacks
// a blob, the lines that need it are left out and the notes name it. A missing blob never
// costs the whole answer.
//
// An opinion beside an annotation (Answer.Opinion), which package engine adds, is the
// exception: the ranking has a bounded time for it, and a note says if that time ended.
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

// A FixContext holds all facts about a fix that an engine may see.
type FixContext struct {
	Fix    gitext.OID // "" for an uncommitted fix; Parent is then HEAD
	Parent gitext.OID // first parent; "" for a root commit
	Commit gitext.Commit
	// Message is the message without trailers, and without the names of commits if
	// ContextOptions.NoAnnotations is set. Prose is the form of the message for the
	// ranking.
	Message     string
	Prose       string
	Date        time.Time           // upper bound of every search
	Patch       *gitext.Patch       // Parent..Fix with three lines of context, without Generated
	Generated   []gitext.FileChange // files that a program wrote, where the fix changes hand-written source, too
	Annotations []Annotation        // culprits that the message names
	Mask        *Mask               // hides the names of commits; nil unless the fix is read without annotations
	Notes       []string            // oddities of this fix, a sentence each
	Not         []gitext.OID        // commits that did not introduce the bug, as the user knows
	Index       bool                // the ranking asks the repository's index of changed lines, if there is one
	Hint        Hint                // what is known of the bug beside the fix; Prose has its words

	leftOut bool // some files could not be read
}

// An Annotation is a culprit named by a message: the message of the fix, or of a commit
// that the fix merges.
type Annotation struct {
	Commit   gitext.OID
	Kind     string // AnnotationTrailer, AnnotationProse or AnnotationRevert
	Text     string // the words of the message
	Subject  string // the subject that the message quotes, "" if it quotes none
	Formal   bool   // prose, but in a line such as "Fixes: <hash>" above other paragraphs
	Verified bool   // the commit exists, is an ancestor of the fix and has the quoted subject
	Problem  string // the reason why it is not verified
	Written  string // the hash in the message, if it is of another history and Commit was found by Subject; else ""
	// In is the commit with the message: the fix, or one of the few commits that a merge
	// brings; "" for an uncommitted fix.
	In gitext.OID

	foreign bool // the hash in the message is not in the history of the fix
}

// The kinds of annotations.
const (
	AnnotationTrailer = "fixes-trailer"
	AnnotationProse   = "prose"
	AnnotationRevert  = "revert"
)

// An Answer is the answer for one fix.
type Answer struct {
	Fix, Parent gitext.OID
	Engine      string       // "offline" or "agent"
	Algorithm   string       // an element of Algorithms, ByAnnotation, ByFileHistory or "agent"
	Suspects    []Suspect    // best first; a set for b, ag, ma and ra
	Owner       *Suspect     // the commit that wrote most of the code that the fix removes, if it is no suspect; else nil
	Opinion     *Suspect     // the commit that the ranking suspects instead of the annotation; nil if it has no strong opinion or was not asked
	Candidates  []gitext.OID // every commit considered, suspects included
	Notes       []string
	Agent       *AgentReport // the origin of a model's answer; nil if no model was asked
	Index       bool         // the ranking asked an index of changed lines
	Incomplete  []string     // missing parts of the clone: agent.LacksObjects, LacksHistory; nil if nothing is missing
	Sandbox     string       // the sandbox.Level of the command of package verify; "" if none was run
}

// Unanswered reports whether an answer is the offline engine's because no run of the model gave one.
func (v *Answer) Unanswered() bool { return v.Agent != nil && v.Agent.Fallback != "" }

// LacksHistory in Answer.Incomplete says that the clone is shallow, and older history was
// not searched.
const LacksHistory = "shallow"

// A Suspect is a commit that may have introduced the bug. The ranking's probability is
// calibrated by package rank, a model's by a calibration for that model. Package fixlike
// lowers it if the fix does not look like one.
type Suspect struct {
	suspect.Suspect
	// Prior is the probability before a command of package verify changed it, and 0 if
	// none did.
	Prior float64
	Vote  *Vote  // the inputs of the probability; nil if no model named the commit
	Type  string // the way it introduced the bug, one of ClaimTypes; "" if no model named it
}

// Algorithms lists the values of Question.Algorithm, the default first.
var Algorithms = []string{"rank", "b", "ag", "ma", "l", "r", "ra"}

// These are values of Answer.Algorithm for fixes that [Settle] answers.
const (
	ByAnnotation  = "annotation"   // the message of the fix names the culprit; needs no file, and no history beyond the named commit
	ByFileHistory = "file-history" // the fix changes no line of text; the last commits that gave its files what it changes
)

// AllNotes returns the notes about the fix and about its annotations.
func (fc *FixContext) AllNotes() []string {
	return append(slices.Clone(fc.Notes), annotationNotes(fc.Annotations, nil)...)
}

// Settle answers the fixes that need no engine, and returns nil for the others. Verified
// annotations are the answer, with the algorithm ByAnnotation. A fix without a line of text is
// answered by the history of its files, with ByFileHistory, unless a classic variant is requested: these trace
// lines. A fix with nothing to trace gets an answer without suspects, with the requested algorithm and
// a note about the reason.
func Settle(ctx context.Context, repo *gitext.Repo, fc *FixContext, algorithm string) (*Answer, error) {
	v, err := annotated(ctx, repo, fc)
	switch {
	case v != nil || err != nil:
		return v, err
	case fc.Parent == "":
		return &Answer{Algorithm: algorithm, Notes: []string{"a root commit has no history to trace"}}, nil
	case len(fc.Patch.Files) == 0: // its notes say why
		return &Answer{Algorithm: algorithm}, nil
	case !changesLines(fc.Patch) && algorithm == Algorithms[0]:
		return wholeFiles(ctx, repo, fc)
	case !changesLines(fc.Patch):
		return &Answer{Algorithm: algorithm, Notes: []string{noteNoText}}, nil
	}
	return nil, nil
}

// Offline completes an answer of the offline engine: it fills in the fix, puts the fix's
// notes before the others, and keeps the first max suspects, or all of them if max is 0.
func (v *Answer) Offline(fc *FixContext, max int) *Answer {
	v.Fix, v.Parent, v.Engine = fc.Fix, fc.Parent, "offline"
	v.Notes = slices.Concat(fc.Notes, annotationNotes(fc.Annotations, v.Suspects), v.Notes)
	if max > 0 && len(v.Suspects) >= max {
		v.Suspects, v.Owner = v.Suspects[:max], nil
	}
	return v
}

// leastFurther is the least probability of a second or later suspect, in the answer of a model and
// in an answer of which a command confirmed a suspect. In answers of the ranking, a second suspect
// with at least this probability is the culprit in one of four cases, and one with less in one of
// ten (train szz lists; README of szztrain). The ranking itself uses the thresholds of its model.
const leastFurther = 0.2

// Shorten leaves out the second and later suspects that are less probable than leastFurther. It
// keeps those for which a command was run, and those without a probability.
func (v *Answer) Shorten() {
	if len(v.Suspects) > 0 {
		v.Suspects = append(v.Suspects[:1:1], slices.DeleteFunc(slices.Clone(v.Suspects[1:]), func(s Suspect) bool {
			return s.Probability > 0 && s.Probability < leastFurther && s.Confirmation == nil
		})...)
	}
}

// Note adds a note to the answer.
func (v *Answer) Note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}
