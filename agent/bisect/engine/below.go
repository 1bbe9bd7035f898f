package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"git-agent/agent/bisect"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// This file has the searches whose code does not build at the tip, or cannot be imported there. The
// commit since which it does not is looked for first; all commits at which the tests run say that it
// is a later one, whatever the tests say. If they fail at its parent, this failure is older, and the
// commits with the broken build only hide it: it is looked for below them.

// builtOutcome returns what a run says about a failing build: it is not there if tests ran.
func builtOutcome(e testrun.Ending) trial.Outcome {
	switch {
	case e.FailsToBuild():
		return trial.Fails
	case e.State == fix.Passing, e.State == fix.Failing:
		return trial.Passes
	}
	return trial.Unknown
}

// keep keeps a run, if another failure than that of the build may have to be looked for.
func (c *command) keep(commit gitext.OID, ran seen) {
	if !c.unbuilt {
		return
	}
	c.judging.Lock()
	defer c.judging.Unlock()
	if c.seen == nil {
		c.seen = map[gitext.OID]seen{}
	}
	c.seen[commit] = ran
}

// mostBelow bounds the runs of the second search.
const mostBelow = 40

// below looks for the failure of the tests below the commit since which the code does not build, as
// broken says, and returns the answer of that search. If the tests do not fail there or if no commit
// is proved, it returns broken.
func (c *command) below(ctx context.Context, broken *bisect.Answer, opt bisect.Options) (*bisect.Answer, error) {
	if broken.Status != bisect.Proved || len(broken.Parents) != 1 || c.engine.Outcome != nil {
		return broken, nil
	}
	parent := broken.Parents[0].Commit
	if err := c.seeAgain(ctx, broken, parent); err != nil {
		return broken, err
	}
	at := c.seen[parent]
	if at.ending.State != fix.Failing {
		return broken, nil
	}
	c.progress("the code builds at %s, and the command fails there: look for the beginning of this failure", parent.Short())
	tip, failure := c.tip, c.failure
	c.builds, c.tip, c.failure = false, at, testrun.FailureOf(at.ending, nil)
	runs := c.judgedAgain(broken.Runs)
	q := c.q.Question
	q.Tip = parent
	found, err := bisect.Find(ctx, c.engine.Repo, q, c.optionsBelow(opt, parent, runs))
	more := slices.DeleteFunc(slices.Clone(found.Runs), func(r bisect.Run) bool { return r.Earlier || r.Commit == parent })
	how := fmt.Sprintf("at %s, where it builds, the command %s", parent.Short(), at.ending.How)
	if names := at.ending.Report.Failing; len(names) > 0 {
		how += ": " + names[0]
	}
	if errors.As(err, new(*bisect.OldError)) {
		err = nil // the user's good commit is good for the build
	}
	if err != nil || found.Status != bisect.Proved {
		c.builds, c.tip, c.failure = true, tip, failure
		broken.Runs = append(broken.Runs, c.judgedAgain(more)...)
		c.notes = append(c.notes, fmt.Sprintf("%s, and no commit was proved to be the first with this failure; git agent bisect --bad=%s looks for it",
			how, parent.Short()))
		return broken, err
	}
	c.tip.ending = tip.ending
	c.notes = []string{fmt.Sprintf("since %s the code does not build here, so that commits with it say nothing; %s; "+
		"the beginning of this failure is named", broken.First.Short(), how)}
	found.Runs, found.Notes = append(runs, more...), append(broken.Notes, found.Notes...)
	return found, c.measure(ctx, broken, found)
}

// seeAgain runs the command at a commit that an earlier call ran.
func (c *command) seeAgain(ctx context.Context, broken *bisect.Answer, commit gitext.OID) error {
	if _, known := c.seen[commit]; known {
		return nil
	}
	res, err := c.try(ctx, 0, commit)
	if err == nil {
		broken.Runs = append(broken.Runs, bisect.Run{Commit: commit, Outcome: bisect.OutcomeOf(res, false), How: res.How, Took: res.Took})
	}
	return err
}

// measure sets the range of an answer: that of the first search, or, without a good commit, that up
// to the first commit that was found to be one.
func (c *command) measure(ctx context.Context, broken, found *bisect.Answer) (err error) {
	found.Range = broken.Range
	if i := slices.IndexFunc(found.Runs, func(r bisect.Run) bool { return r.Outcome == bisect.Old }); len(c.q.Old) == 0 && i >= 0 {
		found.Range, err = c.engine.Repo.CountCommits(ctx, c.q.Tip, []gitext.OID{found.Runs[i].Commit})
	}
	found.Halvings = bisect.Halvings(found.Range)
	return err
}

// judgedAgain returns runs as they are judged now. Of those of an earlier call, only one that passes says
// something.
func (c *command) judgedAgain(runs []bisect.Run) []bisect.Run {
	list := slices.Clone(runs)
	for i, r := range list {
		at, known := c.seen[r.Commit]
		switch {
		case known:
			res := c.judge(at.ending)
			list[i].Outcome, list[i].How = bisect.OutcomeOf(res, false), res.How
		case r.How == passes:
			list[i].Outcome = bisect.Old
		default:
			list[i].Outcome = bisect.Unknown
		}
	}
	return list
}

// optionsBelow returns the options of the second search. The command was run at its tip. runs are
// those of the first search; of them, those at which the code builds are known to the second.
func (c *command) optionsBelow(opt bisect.Options, tip gitext.OID, runs []bisect.Run) bisect.Options {
	opt.Known = nil
	for _, r := range runs {
		if at, known := c.seen[r.Commit]; known && !at.ending.FailsToBuild() || r.Outcome == bisect.Old {
			opt.Known = append(opt.Known, r)
		}
		if !r.Earlier {
			opt.MaxRuns--
		}
	}
	opt.MaxRuns = min(opt.MaxRuns, mostBelow) + 1 // the run at the tip is not made again
	again := false
	opt.Try = func(ctx context.Context, worker int, commit gitext.OID) (trial.Result, error) {
		if commit == tip && !again {
			again = true // the search runs the tip first, and alone
			return c.judge(c.seen[tip].ending), nil
		}
		return c.try(ctx, worker, commit)
	}
	keep := opt.OnRun
	opt.OnRun = func(r bisect.Run) error {
		if keep == nil || r.Commit == tip {
			return nil
		}
		// A second call begins with the first search.
		at := c.seen[r.Commit].ending
		r.Outcome = bisect.OutcomeOf(trial.Result{Outcome: builtOutcome(at)}, false)
		return keep(r)
	}
	return opt
}
