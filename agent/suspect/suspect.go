// Package suspect defines a commit that may have introduced a bug, with the evidence for
// and against it, and finds the commits that own given lines.
//
// All verbs share it: a verb passes the lines of interest to [FindOwners] and
// returns its conclusions as [Suspect]s. Suspects are stored as JSON, so field names
// must not change.
package suspect

import (
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Suspect is a commit that may have introduced a bug.
type Suspect struct {
	Commit       gitext.Commit
	Probability  float64 // that the commit introduced the bug; 0 if the algorithm gives none
	Reason       string  // one sentence about the cause of suspicion
	Evidence     []Evidence
	Signals      []Signal      // features that determined the probability, strongest first
	Confirmation *Confirmation // nil if no command was run
}

// Evidence is a fact that a reader can check with Command.
type Evidence struct {
	Path    string
	Line    int  // line number in the blamed revision, such as the parent of a fix; 0 if no line is meant
	Removed bool // the fix removes or changes the line; false for a line near its changes
	Text    string
	Command string // a shell-quoted git command
}

// A Signal is the contribution of one feature to the probability of a suspect.
type Signal struct {
	Name   string
	Value  float64 // the feature's value for this suspect
	Weight float64 // its contribution in log-odds
}

// A Confirmation is the result of checking a suspect by running a command.
type Confirmation struct {
	Status string // Confirmed, Refuted or Unclear
	Detail string
}

// These are the values of Confirmation.Status.
const (
	Confirmed = "confirmed"
	Refuted   = "refuted"
	Unclear   = "unclear"
)

// SaysRefactor matches the subject of a commit about moving, renaming or cleaning up
// code. Such a commit owns many lines that it did not write.
var SaysRefactor = source.Lazy(
	`(?i)\b(refactor\w*|clean\w*|renam\w*|mov(e|ed|ing)|re-?format\w*|style|styling|indent\w*|whitespace|coding style|clang-format|simplif\w*|reorgani\w*|split\w*|typo\w*|cosmetic\w*|consolidat\w*|lint\w*)\b`,
)
