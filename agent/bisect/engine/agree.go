package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/bisect"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// agreeRuns is the largest number of further runs at the tip in which two failures of a flaky command may agree.
const agreeRuns = 3

// agree runs a flaky command at the tip again until two of its failures there are alike, and then looks for that one:
// the first one may be of chance, and no other commit would fail like it. If no two agree, the first one is looked
// for. It returns the result of the run that shows the failure; first is that of the first run.
func (c *command) agree(
	ctx context.Context, w *trial.Workspace, over []gitext.Overlay, first trial.Result,
) (trial.Result, error) {
	const least = agreeRuns + 3 // runs: those at the tip, and two elsewhere
	if !c.q.Flaky || !c.shown || c.builds || c.q.Fixed || c.failure == nil || cmp.Or(c.engine.MaxRuns, least) < least {
		return first, nil
	}
	runs, found := []seen{c.tip}, -1
	c.shown = false // what the runs open is noted
	for found < 0 && len(runs) <= agreeRuns {
		if err := w.Prepare(ctx, c.q.Tip, over); err != nil {
			return first, err
		}
		ran, err := c.runTest(ctx, w, c.q.Tip, over, c.q.Test)
		if err != nil {
			return first, err
		}
		found = slices.IndexFunc(runs, func(r seen) bool {
			return r.ending.State == fix.Failing && testrun.FailureOf(r.ending, nil).Recurs(ran.ending)
		})
		runs = append(runs, ran)
	}
	c.shown = true
	return c.lookFor(runs, max(found, 0)), nil
}

// lookFor takes one of the runs at the tip for the one that shows the failure, and keeps the others for the answer. It
// returns the result of the one.
func (c *command) lookFor(runs []seen, chosen int) trial.Result {
	if chosen > 0 {
		const note = "at the tip the command first failed in another way%s; the failure that came twice is looked for"
		c.notes = append(c.notes, fmt.Sprintf(note, toldBy(&c.tip.ending)))
	}
	c.tip = runs[chosen]
	c.failure = nil
	shows := c.judge(c.tip.ending)
	for _, r := range slices.Delete(slices.Clone(runs), chosen, chosen+1) {
		res := c.judge(r.ending)
		outcome := bisect.OutcomeOf(res, false)
		c.again = append(c.again, bisect.Run{Commit: c.q.Tip, Outcome: outcome, How: res.How, Took: res.Took})
	}
	return shows
}

// toldBy returns what tells a failure, behind a colon: the first test that fails, or a line of the output.
func toldBy(e *testrun.Ending) string {
	if len(e.Report.Failing) > 0 {
		return ": " + e.Report.Failing[0]
	}
	return e.Said()
}
