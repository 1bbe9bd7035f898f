package engine

import (
	"context"

	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// withoutOthers runs the command once more where the laid tests do not build, without the bodies of the tests that
// cannot be built there. If none ran to its end, as where a test of the failure is one of these, it returns what ran, with
// the errors in the tests of the failure.
func (c *command) withoutOthers(
	ctx context.Context, w *trial.Workspace, commit gitext.OID, over []gitext.Overlay, ran seen,
) (again seen, err error) {
	c.judging.Lock()
	failure := c.failure
	c.judging.Unlock()
	if !c.shown || c.builds || failure == nil {
		return ran, nil
	}
	again = ran
	ending, ok, err := failure.WithoutOthers(over, ran.ending, func(less []gitext.Overlay) (testrun.Ending, error) {
		err := w.Prepare(ctx, commit, less)
		if err == nil {
			again, err = c.runFocused(ctx, w, commit, less)
		}
		return again.ending, err
	})
	if err != nil {
		return ran, err
	}
	if !ok {
		ran.ending = ending
		return ran, nil
	}
	again.ending = ending
	return again, nil
}
