// Package offline repairs a bug without a model: it tries candidate patches made from the
// history and by small changes (package generate), and keeps those that the tests accept.
//
// [Repair] tries the likeliest candidate first, in several scratch work trees at a time,
// each of which keeps its build caches. A candidate is run through the build, the failing
// test and the wider tests, and ends at the first that rejects it. What is learned from
// one candidate changes the order of the others: a change after which the failing test
// ends in another way shows that its place matters.
//
// [Bisect] looks for the commit with which the failing test began to fail.
//
// A patch that passes is called plausible, never right: of the patches with which a failing
// test passes, two thirds break other tests (fix.md, 6.2), and of those that break none some
// are still wrong.
package offline

import (
	"cmp"
	"context"
	"errors"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Input is a problem with what is known about it, and the bounds of the work.
type Input struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction // of Problem.Test; the zero value lets Repair run it
	Localization *fix.Localization
	History      *fix.History // nil if it was not looked up
	Good         gitext.OID   // a commit at which the test passes, "" if none is known
	RevertOnly   bool         // only undo changes, as a baseline for evaluations
	Trial        trial.Options
	// Validate proves a patch in a clean tree; nil accepts what the search found good.
	Validate func(context.Context, fix.Patch) (fix.Trial, error)
	Budget   Budget
	Jobs     int               // candidates that are tried at the same time; 0 is 2
	OnEvent  func(agent.Event) // may be nil; calls do not overlap
}

// A Budget bounds the work. The search ends with whichever bound is met first.
type Budget struct {
	Wall  time.Duration // 0 is ten minutes; a patch that passes the failing test in time is judged to the end
	Tries int           // candidates that are run; 0 is 10000
	Want  int           // plausible patches; 0 is 3
	// GallopRuns is how many runs a bisection may take if no good commit is known; 0 is
	// 16, and a negative number leaves the bisection out.
	GallopRuns int
}

const (
	defaultWall   = 10 * time.Minute
	defaultTries  = 10000
	defaultWant   = 3
	defaultJobs   = 2
	defaultGallop = 16
	// patience is how many more candidates are tried after a plausible one, in the hope
	// of a better one.
	patience = 40
)

func (in *Input) setDefaults() {
	in.Budget.Wall = cmp.Or(in.Budget.Wall, defaultWall)
	in.Budget.Tries = cmp.Or(in.Budget.Tries, defaultTries)
	in.Budget.Want = cmp.Or(in.Budget.Want, defaultWant)
	in.Jobs = max(cmp.Or(in.Jobs, defaultJobs), 1)
	in.Problem.Test = cmp.Or(in.Problem.Test, in.Reproduction.Command)
}

// errBudget is the cause of a context that Budget.Wall ended.
var errBudget = errors.New("the time for the repair is up")

// Repair tries candidate patches and returns what was tried: plausible patches first, the
// best of them at the top, then the others, the most telling first. Without a command that
// fails there is nothing to try, which is an error. When the time of the budget is up,
// what was found until then is returned without an error.
func Repair(ctx context.Context, repo *gitext.Repo, in Input) ([]fix.Trial, error) {
	in.setDefaults()
	if in.Problem.Test == "" {
		return nil, errors.New("there is no test command to try patches with")
	}
	bounded, cancel := context.WithTimeoutCause(ctx, in.Budget.Wall, errBudget)
	defer cancel()
	s, err := newSearch(bounded, ctx, repo, &in)
	if err != nil {
		return nil, spent(bounded, err)
	}
	defer s.close()
	err = s.run(bounded)
	return s.result(), spent(bounded, err)
}

// spent drops an error that only says that the budget's time is up.
func spent(ctx context.Context, err error) error {
	if context.Cause(ctx) == errBudget {
		return nil
	}
	return err
}
