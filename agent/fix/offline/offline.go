// Package offline repairs a bug without a model: it tries candidate patches made from the
// history and by small changes (package generate), and keeps those that the tests accept.
//
// [Repair] first undoes the newest changes of suspected code, one after the other, in the
// work tree in which the failure was reproduced. Then it tries the likeliest candidate
// first, in several scratch work trees at a time, each of which keeps its build caches. A candidate is run through the build, the failing
// test and the wider tests, and ends at the first that rejects it. What is learned from
// one candidate changes the order of the others: a change after which the failing test
// ends in another way shows that its place matters.
//
// [Bisect] looks for the commit with which the failing test began to fail.
//
// A patch that passes is called plausible, never right: of the patches with which a failing
// test passes, two thirds break other tests (119 mined bugs), and of those that break none
// some are still wrong.
package offline

import (
	"cmp"
	"context"
	"errors"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
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
	// Space is a workspace in which the failing test was built and run; nil lets Repair
	// open one. Runs are these runs, without a patch; nil lets Repair run the test. The
	// caller closes the workspace.
	Space *trial.Workspace
	Runs  []testrun.Ending
	// Complete calls a function that reads the history, again once the objects are fetched
	// that a partial clone lacks for it; nil calls it once.
	Complete func(context.Context, func(context.Context) error) error
	// Validate proves a patch in a clean tree; nil accepts what the search found good.
	Validate func(context.Context, fix.Patch) (fix.Trial, error)
	Budget   Budget
	Jobs     int               // candidates that are tried at the same time; 0 is 2
	OnEvent  func(agent.Event) // may be nil; calls do not overlap
}

// A Budget bounds the work. The search ends with whichever bound is met first.
type Budget struct {
	Wall time.Duration // 0 is ten minutes
	// Proof is how much longer a patch may be proved that passed the failing test in time;
	// 0 is no limit.
	Proof time.Duration
	Tries int // candidates that are run; 0 is 10000
	Want  int // plausible patches; 0 is 3
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

// These are the causes of contexts that a budget ended.
var (
	errBudget = errors.New("the time for the repair is up")
	errProof  = errors.New("the time for the proof is up")
)

// A Found is what a search has found.
type Found struct {
	// Trials is what was tried: plausible patches first, the best of them at the top, then
	// the others, the most telling first.
	Trials []fix.Trial
	// Stopped says what ended the search before all candidates were tried, as the predicate
	// of a sentence; "" if nothing did, or if the search found what it looked for.
	Stopped string
}

// Repair tries candidate patches. Without a command that fails there is nothing to try,
// which is an error. When the time of the budget is up, what was found until then is
// returned without an error.
func Repair(ctx context.Context, repo *gitext.Repo, in Input) (Found, error) {
	in.setDefaults()
	if in.Problem.Test == "" {
		return Found{}, errors.New("there is no test command to try patches with")
	}
	whole := ctx
	if in.Budget.Proof > 0 {
		var cancel context.CancelFunc
		whole, cancel = context.WithTimeoutCause(ctx, in.Budget.Wall+in.Budget.Proof, errProof)
		defer cancel()
	}
	bounded, cancel := context.WithTimeoutCause(whole, in.Budget.Wall, errBudget)
	defer cancel()
	s := &search{in: &in, whole: whole, repo: repo, order: newOrder(), seen: map[string]bool{}}
	defer s.close()
	err := s.run(bounded)
	return s.result(bounded), spent(bounded, err)
}

// spent drops an error that only says that the budget's time is up.
func spent(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause == errBudget || cause == errProof {
		return nil
	}
	return err
}
