// Package szz holds the question of Śliwerski, Zimmermann and Zeller (MSR 2005)
// and its answer: which commits introduced the bug that this commit fixes?
//
// [NewContext] reads a fix into a [FixContext]. An engine answers it with a
// [Verdict]: bug-introducing commits, best first, each with evidence that a
// reader can check. The engines are packages of their own: offline (with the
// rooms rank and classic) needs a git repository and nothing else, and detect
// asks a model.
//
// Promises of the offline engine: the answer depends on the repository's
// objects, the options and the version of these packages only, never on the
// caller's git configuration, on the clock or on map order. Nothing is written
// to the repository. A blob that the clone lacks costs the lines that need it,
// is named in the notes, and never the whole answer.
//
// Limits: a merge commit is read as its patch against its first parent; a
// commit outside the history of the fix's parent is never a suspect.
package szz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/gitext"
)

// FixContext is all that an engine may see of a fix.
type FixContext struct {
	Fix    gitext.OID // "" for an uncommitted fix; Parent is then HEAD
	Parent gitext.OID // first parent; "" for a root commit
	Commit gitext.Commit
	// Message is the message without trailers; every hint at the culprit is
	// taken out when ContextOptions.NoAnnotations is set.
	Message     string
	Date        time.Time     // upper bound of every search
	Patch       *gitext.Patch // Parent..Fix with three lines of context
	Annotations []Annotation  // culprits that the message names
	Blind       bool          // built without annotations: hints at the culprit are hidden everywhere
	Notes       []string      // what is odd about this fix, a sentence each

	leftOut bool // the clone lacks objects of some files
}

// An Annotation is a culprit that the fix's own message names, or that of a
// commit which it merges.
type Annotation struct {
	Commit   gitext.OID
	Kind     string // AnnotationTrailer, AnnotationProse or AnnotationRevert
	Text     string // the words of the message
	Subject  string // the subject that the message quotes, if it does
	Verified bool   // exists, is an ancestor of the fix, subject agrees
	Problem  string // why it is not verified
	// In is the commit whose message it is: the fix, or one of the few that a
	// merge brings; "" for an uncommitted fix.
	In gitext.OID
}

// The kinds of annotations.
const (
	AnnotationTrailer = "fixes-trailer"
	AnnotationProse   = "prose"
	AnnotationRevert  = "revert"
)

// A Verdict is the answer for one fix.
type Verdict struct {
	Fix, Parent gitext.OID
	Engine      string       // "offline" or "agent"
	Algorithm   string       // an element of Algorithms, "annotation" or "agent"
	Suspects    []Suspect    // best first; a set for b, ag, ma and ra
	Candidates  []gitext.OID // every commit considered, suspects included
	Notes       []string
	Agent       *AgentReport // how a model came to it; nil when none was asked
	Sandbox     string       // what confined the command that confirmed it, a sandbox.Level; "" when none was run
}

// A Suspect is one commit that may have introduced the bug.
type Suspect struct {
	Commit       gitext.Commit
	Probability  float64 // calibrated by rank, and for the agent by DetectOptions.Calibration; 0 where the algorithm has none
	Vote         *Vote   // behind the probability; nil where no model named it
	Type         string  // how it introduced the bug, one of ClaimTypes; "" where nobody said
	Reason       string  // one sentence; the model's reasoning when it named the commit
	Evidence     []Evidence
	Signals      []Signal      // what moved the probability, strongest first
	Confirmation *Confirmation // nil unless a command was run
}

// Evidence is something a reader can check, with the command that checks it.
type Evidence struct {
	Path    string
	Line    int  // in the fix's parent; 0 when no line is meant
	Removed bool // the fix removes or changes that line, instead of standing near it
	Text    string
	Command string // a shell-quoted git command
}

// A Signal is one feature's share in the probability of a suspect.
type Signal struct {
	Name   string
	Value  float64 // the feature's value for this suspect
	Weight float64 // its contribution in log-odds
}

// A Confirmation is what running the user's command at a suspect showed.
type Confirmation struct {
	Status string // "confirmed", "refuted" or "unclear"
	Detail string
}

// Algorithms lists what Question.Algorithm takes, the default first.
var Algorithms = []string{"rank", "b", "ag", "ma", "l", "r", "ra"}

// AllNotes returns what is odd about the fix and about its annotations.
func (fc *FixContext) AllNotes() []string {
	return append(slices.Clone(fc.Notes), annotationNotes(fc.Annotations)...)
}

// Settle answers the fixes for which no engine is needed, and returns nil for
// the others. A verified annotation is the answer, marked as such. A fix that
// leaves nothing to trace gives a verdict without suspects and a note that says
// why. algorithm is named in that verdict.
func Settle(ctx context.Context, repo *gitext.Repo, fc *FixContext, algorithm string) (*Verdict, error) {
	v, err := annotated(ctx, repo, fc)
	switch {
	case v != nil || err != nil:
		return v, err
	case fc.Parent == "":
		return &Verdict{Algorithm: algorithm, Notes: []string{"a root commit has no history to trace"}}, nil
	case len(fc.Patch.Files) == 0: // as its notes say
		return &Verdict{Algorithm: algorithm}, nil
	}
	return nil, nil
}

// Offline completes a verdict that no model was asked for: it names the fix,
// puts the fix's notes before its own, and keeps the first max suspects, all of
// them where max is 0.
func (v *Verdict) Offline(fc *FixContext, max int) *Verdict {
	v.Fix, v.Parent, v.Engine = fc.Fix, fc.Parent, "offline"
	v.Notes = append(fc.AllNotes(), v.Notes...)
	if max > 0 && len(v.Suspects) > max {
		v.Suspects = v.Suspects[:max]
	}
	return v
}

func (v *Verdict) Note(format string, args ...any) {
	v.Notes = append(v.Notes, fmt.Sprintf(format, args...))
}
