package testrun

import (
	"git-agent/agent/fix"
	"git-agent/agent/trial"
)

// A Failure is one way in which a command fails. A search through the history looks for it, and
// other failures say nothing to the search.
type Failure struct {
	Failing []string // names of the failing tests; nil if the command names none
	lines   trial.Failure
	build   bool // what fails is the build
}

// FailureOf returns the failure of a run. passing is the output of the command where it passes, or
// nil; its lines say nothing about the failure.
func FailureOf(e Ending, passing []byte) *Failure {
	return &Failure{Failing: e.Report.Failing, lines: trial.FailureOf(trial.Result{Output: e.Output}, passing), build: e.FailsToBuild()}
}

// FailsToBuild reports whether no test ran because the code does not build, and not because
// something is missing.
func (e *Ending) FailsToBuild() bool {
	return e.State == fix.Broken && e.Report.Build && e.Report.Lacks == ""
}

// Recurs reports whether another run fails in the same way. If both runs name failing tests, one
// must fail in both; a name with a package equals one without. Otherwise, at least a third of the
// lines of the failure must recur. A run without a judgement does not fail in the same way, but a
// failing build recurs in failing builds, and only in these.
func (f *Failure) Recurs(e Ending) bool {
	switch {
	case f.build != e.FailsToBuild(), !f.build && e.State != fix.Failing:
		return false
	case len(f.Failing) > 0 && len(e.Report.Failing) > 0:
		return newNames(f.Failing).hasAny(e.Report.Failing)
	}
	return f.lines.Recurs(trial.Result{Output: e.Output})
}

// Outcome returns what the end of the command says about a commit.
func (e *Ending) Outcome() trial.Outcome {
	switch e.State {
	case fix.Passing:
		return trial.Passes
	case fix.Failing:
		return trial.Fails
	}
	return trial.Unknown
}
