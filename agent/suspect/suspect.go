// Package suspect holds commits that may have introduced a bug, with what speaks
// for and against each, and finds the commits that own given lines.
//
// It knows no fix and no crash: a verb brings its lines to [FindOwners] and puts
// what it concludes into [Suspect]s. Answers are cached as JSON, so the names of
// the fields are part of a recorded form.
package suspect

import "git-agent/gitext"

// A Suspect is a commit that may have introduced a bug.
type Suspect struct {
	Commit       gitext.Commit
	Probability  float64 // that it did; 0 where the algorithm estimates none
	Reason       string  // one sentence
	Evidence     []Evidence
	Signals      []Signal      // what moved the probability, strongest first
	Confirmation *Confirmation // nil unless a command was run
}

// Evidence is something a reader can check, with the command that checks it.
type Evidence struct {
	Path    string
	Line    int  // in the revision that is asked about, as the parent of a fix; 0 when no line is meant
	Removed bool // the fix removes or changes that line; false for a line near its changes
	Text    string
	Command string // a shell-quoted git command
}

// A Signal is one feature's share in the probability of a suspect.
type Signal struct {
	Name   string
	Value  float64 // the feature's value for this suspect
	Weight float64 // its contribution in log-odds
}

// A Confirmation is what running a command at a suspect showed.
type Confirmation struct {
	Status string // Confirmed, Refuted or Unclear
	Detail string
}

// The values of Confirmation.Status.
const (
	Confirmed = "confirmed"
	Refuted   = "refuted"
	Unclear   = "unclear"
)
