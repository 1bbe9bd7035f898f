package verify

import (
	"context"
	"errors"

	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// withoutOthers runs the command once more at a commit that does not build the fix's tests, without the
// bodies of the tests that cannot be built there. It returns the given result if that says nothing,
// and the ending with the errors of the tests in question.
func (c *Check) withoutOthers(
	ctx context.Context, commit gitext.OID, over []gitext.Overlay, res trial.Result, ending testrun.Ending,
) (trial.Result, testrun.Ending, error) {
	if !ending.FailsToBuild() {
		return res, ending, nil
	}
	over, err := c.withContent(ctx, over)
	if err != nil {
		return res, ending, err
	}
	again := res
	less, ok, err := c.failure.WithoutOthers(over, ending, func(less []gitext.Overlay) (e testrun.Ending, err error) {
		again, e, err = c.runOver(ctx, commit, less)
		return e, err
	})
	if err != nil || !ok {
		return res, less, err
	}
	c.emptied++
	again.How = less.How
	return again, less, nil
}

// withContent reads the test files that are laid over commits.
func (c *Check) withContent(ctx context.Context, over []gitext.Overlay) ([]gitext.Overlay, error) {
	var read []gitext.Overlay
	for _, o := range over {
		if o.OID != "" && o.Mode != modeSymlink && source.IsTestPath(o.Path) {
			text, err := c.repo.Blob(ctx, o.OID, maxEmptied)
			var large *gitext.TooLargeError
			switch {
			case err == nil:
				o.OID, o.Content = "", text
			case !errors.As(err, &large):
				return nil, err
			}
		}
		read = append(read, o)
	}
	return read, nil
}

// maxEmptied bounds the size of a file whose tests are emptied, in bytes.
const maxEmptied = 1 << 20
