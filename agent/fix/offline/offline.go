// Package offline repairs a bug without a model: it tries candidate patches from the history
// and from small changes (package generate), and keeps the patches that the tests accept.
//
// [Repair] first undoes the newest changes of suspected code, one after the other, in the work
// tree where the failure was reproduced. Then it tries the other candidates, the likeliest
// first, in several scratch work trees with their own build caches. A candidate must pass the
// build, the failing test and the wider tests; the first failure ends its trial. The result of
// one candidate changes the order of the others: if a change alters the failure, its place
// matters.
//
// [Bisect] looks for the commit that made the failing test fail.
//
// A passing patch is called plausible, never right: of the patches that make a failing test
// pass, two thirds break other tests (119 mined bugs), and some of the others are still wrong.
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

// Input is a problem with information about it, and the bounds of the work.
type Input struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction // of Problem.Test; the zero value lets Repair run it
	Localization *fix.Localization
	History      *fix.History // nil if it was not looked up
	Good         gitext.OID   // a commit at which the test passes, "" if none is known
	RevertOnly   bool         // only undo changes, as a baseline for evaluations
	Trial        trial.Options
	// Space is a workspace after a build and runs of the failing test; nil lets Repair open
	// one. Runs are these runs, without a patch; nil lets Repair run the test. The caller
	// closes the workspace.
	Space *trial.Workspace
	Runs  []testrun.Ending
	// Complete calls a function that reads the history, and calls it again after fetching the
	// missing objects of a partial clone. If Complete is nil, Repair calls the function once.
	Complete func(context.Context, func(context.Context) error) error
	// Validate proves a patch in a clean tree; nil accepts the judgement of the search.
	Validate func(context.Context, fix.Patch) (fix.Trial, error)
	// SuiteTook is the duration of a run of the wider tests; 0 if none is known.
	SuiteTook time.Duration
	Budget    Budget
	Jobs      int               // number of candidates that are tried at the same time; 0 is 2
	OnEvent   func(agent.Event) // may be nil; calls do not overlap
}

// A Budget bounds the work. The search ends at the first bound that it meets.
type Budget struct {
	Wall time.Duration // 0 is ten minutes
	// Proof is the additional time for proving a patch that passed the failing test in time; 0
	// is no limit.
	Proof time.Duration
	Tries int // most candidates; 0 is 10000
	Want  int // wanted plausible patches; 0 is 3
	// GallopRuns bounds the runs of a bisection if no good commit is known; 0 is 16, and a
	// negative number turns the bisection off.
	GallopRuns int
}

const (
	defaultWall   = 10 * time.Minute
	defaultTries  = 10000
	defaultWant   = 3
	defaultJobs   = 2
	defaultGallop = 16
	// patience is the number of candidates that are tried after a plausible one, in the hope of
	// a better one.
	patience = 40
)

func (in *Input) setDefaults() {
	in.Budget.Wall = cmp.Or(in.Budget.Wall, defaultWall)
	in.Budget.Tries = cmp.Or(in.Budget.Tries, defaultTries)
	in.Budget.Want = cmp.Or(in.Budget.Want, defaultWant)
	in.Jobs = max(cmp.Or(in.Jobs, defaultJobs), 1)
	in.Problem.Test = cmp.Or(in.Problem.Test, in.Reproduction.Command)
}

// These are the causes of the end of contexts by a budget.
var (
	errBudget = errors.New("the time for the repair is up")
	errProof  = errors.New("the time for the proof is up")
)

// A Found is the result of a search.
type Found struct {
	// Trials are the tried patches: the plausible ones, best first, then the others, the most
	// informative first.
	Trials []fix.Trial
	// Stopped says why the search ended before it tried all candidates, as the predicate of a
	// sentence; "" if it tried all, or found enough patches.
	Stopped string
	// Unproved is the patch that passed the failing test, and whose proof was cut off; nil if there is none.
	Unproved *fix.Trial
	// Notes are clauses about the bisection that Input.Good asks for.
	Notes []string
}

// Repair tries candidate patches. Without a failing command, Repair returns an error. If the
// budget's time is up, Repair returns the partial result without an error.
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

// spent returns nil instead of an error that only says that the budget's time is up.
func spent(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause == errBudget || cause == errProof {
		return nil
	}
	return err
}
