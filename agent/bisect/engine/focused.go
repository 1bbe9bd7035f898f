package engine

import (
	"cmp"
	"context"
	"slices"

	"git-agent/agent/bisect"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A search needs the tests that fail at the tip, and no others: these cost time, and fail in other ways at old
// commits, where the command could then not be judged. This file restricts the command to them.

// focus restricts the command to the tests that fail at the tip, if it names them, runs others, too, and
// fails there in the same way without the others.
func (c *command) focus(ctx context.Context, w *trial.Workspace, over []gitext.Overlay) error {
	failing, ran := c.tip.ending.Report.Failing, c.tip.ending.Report.Ran
	if c.focused != "" || !c.shown || c.builds || c.q.Fixed || c.q.Flaky || c.failure == nil || ran >= 0 && ran <= len(failing) {
		return nil
	}
	const least = 3 // runs: two at the tip, and one elsewhere
	focused, ok := testcmd.Focus(c.q.Test, failing)
	if !ok || focused == c.q.Test || cmp.Or(c.engine.MaxRuns, least) < least {
		return nil
	}
	if err := w.Prepare(ctx, c.q.Tip, over); err != nil {
		return err
	}
	again, err := c.runTest(ctx, w, c.q.Tip, over, focused)
	if err != nil || again.ending.State != fix.Failing || !c.failure.Recurs(again.ending) {
		return err
	}
	c.focused = focused
	c.again = []bisect.Run{{Commit: c.q.Tip, Outcome: bisect.New, How: again.ending.How, Took: again.ending.Took}}
	return nil
}

// runFocused runs the restricted command in the prepared work tree, or, where it runs no such test, the whole one.
func (c *command) runFocused(ctx context.Context, w *trial.Workspace, commit gitext.OID, over []gitext.Overlay) (seen, error) {
	if c.focused != "" {
		ran, err := c.runTest(ctx, w, commit, over, c.focused)
		unbuilt := ran.ending.FailsToBuild() && len(ran.ending.Report.BuildErrors) > 0 // without a place, the test may only not exist
		if err != nil || ran.ending.State == fix.Passing || ran.ending.State == fix.Failing || unbuilt {
			return ran, err
		}
		if err := w.Prepare(ctx, commit, over); err != nil {
			return ran, err
		}
	}
	return c.runTest(ctx, w, commit, over, c.q.Test)
}

// noteFocused says which command ran at other commits than the tip, if one did.
func (r *Result) noteFocused() {
	elsewhere := func(run bisect.Run) bool { return run.Commit != r.Question.Tip }
	if r.Answer != nil && r.Focused != "" && slices.ContainsFunc(r.Runs, elsewhere) {
		r.Notes = append(r.Notes, "only the tests that fail at the tip ran at other commits: "+r.Focused)
	}
}

// withAgain adds the further runs at the tip to those of an answer.
func (c *command) withAgain(found *bisect.Answer) {
	if len(c.again) == 0 || found == nil {
		return
	}
	at := slices.IndexFunc(found.Runs, func(r bisect.Run) bool { return r.Commit == c.q.Tip && !r.Earlier && r.Outcome == bisect.New })
	found.Runs = slices.Insert(found.Runs, at+1, c.again...)
}

// commandsOf returns the commands of a run with a test command.
func (c *command) commandsOf(test string, commit gitext.OID) testrun.Commands {
	return testrun.Commands{Build: c.q.Build, Test: test, Set: append(testrun.Uncached(test), "GIT_AGENT_COMMIT="+string(commit))}
}
