package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"git-agent/agent/fix"
	"git-agent/agent/fix/deliver"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// target returns the target of the patch's delivery; false if the options name none.
func (c *Fix) target() (deliver.Target, bool) {
	switch {
	case c.Apply:
		return deliver.WorkTree, true
	case c.Index:
		return deliver.Index, true
	case c.Commit:
		return deliver.Commit, true
	case c.Branch != "":
		return deliver.Branch, true
	}
	return deliver.WorkTree, false
}

// deliver writes the best patch to the target of the options, and prints the command that undoes
// the change.
func (c *Fix) deliver(ctx context.Context, a *app.App, repo *gitext.Repo, q fix.Question, ans *fix.Answer) error {
	offered := ans.Offered()
	if len(offered) == 0 {
		return nil
	}
	best := offered[0]
	if c.Patch != "" {
		if err := app.WriteFile(c.Patch, 0o644, func(w io.Writer) error { _, err := w.Write(best.Patch.Diff); return err }); err != nil {
			return err
		}
	}
	target, wanted := c.target()
	if !wanted {
		return nil
	}
	done, err := deliver.Apply(ctx, repo, best, q.Problem.Tree, deliver.Options{Target: target, Branch: c.Branch})
	if err != nil {
		return hinted(err)
	}
	return sayDelivered(a, done, c.JSON)
}

// ready returns an error if no patch could be delivered to the target of the options. It is
// called before the work on a patch.
func (c *Fix) ready(ctx context.Context, repo *gitext.Repo) error {
	if c.Patch != "" {
		if _, err := os.Stat(filepath.Dir(c.Patch)); err != nil {
			return fmt.Errorf("--patch: %w", err)
		}
	}
	target, wanted := c.target()
	if !wanted {
		return nil
	}
	return hinted(deliver.Ready(ctx, repo, deliver.Options{Target: target, Branch: c.Branch}))
}

// hinted adds the hint of a refusal to the error.
func hinted(err error) error {
	var refused *deliver.Refusal
	if errors.As(err, &refused) && refused.Hint != "" {
		return app.WithHint(err, "%s", refused.Hint)
	}
	return err
}

// sayDelivered prints the delivered change, and the command that undoes it. With --json, it
// prints to standard error, so that standard output is one object.
func sayDelivered(a *app.App, done deliver.Done, json bool) error {
	out := a.Stdout
	if json {
		out = a.Stderr
	}
	_, err := fmt.Fprintf(out, "\n%s\nundo: %s\n", ui.Printable(done.Text), ui.Printable(done.Undo))
	return err
}
