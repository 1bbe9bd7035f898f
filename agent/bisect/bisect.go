// Package bisect finds the commit that made a command fail, or with [Question].Fixed the
// commit that made it pass, by running the command at few commits.
//
// [Find] keeps a probability for each commit that may be the culprit. It begins with what the
// history says about them ([Options].Prior) and changes with each run, by Bayes' rule. The
// next commit to run is the one whose outcome is expected to tell most. So a good prior makes
// the search short, and a bad one costs at most four runs more than halving: when these are
// spent, the rest is halved. If outcomes contradict each other, the command is flaky; the rates
// of wrong outcomes are estimated together with the culprit, and commits run again.
//
// Without a good commit, the age of the culprit is taken as log-uniform: the search looks back
// further with each failing run, as galloping does.
//
// The search ends with a proof: the command fails at the culprit and passes at each of its
// parents. The package runs nothing itself, see [Options].Try.
package bisect

import (
	"context"
	"errors"
	"time"

	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A Question describes the search.
type Question struct {
	// Tip is the newest commit. The command fails there; with Fixed, it passes there.
	Tip gitext.OID
	// Old are commits where the command does the opposite, according to the user; nil if none is
	// known.
	Old   []gitext.OID
	Skip  []gitext.OID // commits that are not run
	Fixed bool         // look for the commit that made the command pass
	Flaky bool         // the command is known to be flaky: outcomes are wrong at a rate that is estimated
	// Proofs is the number of runs that must agree at the culprit and at each of its parents;
	// 0 means 1.
	Proofs int
}

// Options have the functions that a search calls, and its limits.
type Options struct {
	// Try runs the command at a commit. worker is from 0 to Workers-1, and no two calls with
	// the same worker overlap. An outcome is Unknown if the commit does not build or the command
	// fails for another reason than at the tip. The first call, at the tip, comes alone.
	Try     func(ctx context.Context, worker int, commit gitext.OID) (trial.Result, error)
	Workers int // 0 means 1
	// Prior returns the weights of commits, newest first, for being the culprit; it is called
	// after the run at the tip. nil, or an error, gives all the same weight.
	Prior    func(ctx context.Context, tip gitext.OID, commits []gitext.OID) ([]float64, error)
	MaxRuns  int        // 0 means the constant
	Besides  func() int // runs that Try made besides one for each call, which count, too; nil means none
	Known    []Run      // runs of an earlier call for the same question
	OnRun    func(Run) error
	Progress func(format string, args ...any) // may be nil
}

// MaxRuns is the default of Options.MaxRuns.
const MaxRuns = 200

// An Outcome is what a run says about a commit.
type Outcome string

// These are the outcomes.
const (
	New     Outcome = "new"     // as at the tip: the culprit is the commit or an ancestor
	Old     Outcome = "old"     // the opposite: the culprit is elsewhere
	Unknown Outcome = "unknown" // the command could not be judged there
)

// A Run is one run of the command.
type Run struct {
	Commit  gitext.OID    `json:"commit"`
	Outcome Outcome       `json:"outcome"`
	How     string        `json:"how"` // predicate of a sentence with the subject "it": "fails (exit 1)"
	Took    time.Duration `json:"took"`
	Earlier bool          `json:"-"` // it was made by an earlier call
	other   bool          // the command failed in another way than at the tip
}

// A Status says how a search ended.
type Status string

// These are the ends of a search.
const (
	Proved  Status = "proved"  // First is the culprit: its runs and those of its parents say so
	Apart   Status = "apart"   // several commits cannot be told apart, because the others cannot be run
	Always  Status = "always"  // the outcome is New as far back as the command can be judged; First is the oldest such commit
	Nothing Status = "nothing" // the outcome at the tip is not New: there is nothing to look for
	Stopped Status = "stopped" // Options.MaxRuns are used up
)

// An Answer is the end of a search.
type Answer struct {
	Status      Status
	First       gitext.OID   // the culprit, or the most probable one; "" for Nothing
	Probability float64      // that First is the culprit, given the runs; 0 for Always
	At          Tally        // runs at First
	Parents     []ParentRuns // runs at its parents
	Candidates  []Candidate  // the most probable commits, best first
	Runs        []Run        // all runs, in their order
	Range       int          // commits that were candidates at the beginning; those behind a window of the history are not counted
	Halvings    int          // runs of git bisect for the same range: its binary logarithm
	FalseNew    float64      // estimated rate of New where the truth is Old; 0 if nothing speaks for a flaky command
	FalseOld    float64      // estimated rate of Old where the truth is New
	Notes       []string     // sentences
}

// A Tally counts the outcomes at one commit.
type Tally struct{ New, Old, Unknown int }

// ParentRuns are the runs at a parent of the culprit.
type ParentRuns struct {
	Commit gitext.OID
	Tally
}

// A Candidate is a commit with its probability.
type Candidate struct {
	Commit      gitext.OID
	Probability float64
}

// ErrOldIsNew is wrapped by the error for a commit of Question.Old at which the outcome is New.
var ErrOldIsNew = errors.New("the outcome is the same as at the tip")

// An OldError says that a commit of Question.Old, or the base that it shares with the tip, has
// the outcome of the tip, or that such a commit is newer than the tip.
type OldError struct {
	Commit gitext.OID
	Base   bool // Commit is the merge base of the tip and a commit of Question.Old
	Newer  bool // the tip is an ancestor of Commit; nothing was run
	Chance bool // the outcome of a flaky command is as often New there as at the tip
}

func (e *OldError) Error() string {
	switch {
	case e.Newer:
		return e.Commit.Short() + " is newer than the tip"
	case e.Chance:
		return "at " + e.Commit.Short() + " the outcome is that of the tip as often as there"
	}
	return "at " + e.Commit.Short() + " " + ErrOldIsNew.Error()
}
func (e *OldError) Unwrap() error { return ErrOldIsNew }

// Find searches for the culprit. If ctx ends or a run fails, it returns the answer so far with
// the error.
func Find(ctx context.Context, repo *gitext.Repo, q Question, opt Options) (*Answer, error) {
	s := newSearch(repo, q, opt)
	err := s.run(ctx)
	return s.answer(), err
}
