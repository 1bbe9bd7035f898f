package main

import (
	"context"
	"fmt"
	"io"

	"git-agent/agent/fix"
	"git-agent/agent/fix/deliver"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// deliver writes the best patch where the options ask for it, and prints the command
// that undoes it.
func (c *fixCmd) deliver(ctx context.Context, a *app, repo *gitext.Repo, q fix.Question, ans *fix.Answer) error {
	if len(ans.Plausible) == 0 {
		return nil
	}
	best := ans.Plausible[0]
	if c.Patch != "" {
		if err := writeFile(c.Patch, 0o644, func(w io.Writer) error { _, err := w.Write(best.Patch.Diff); return err }); err != nil {
			return err
		}
	}
	var target deliver.Target
	switch {
	case c.Apply:
		target = deliver.WorkTree
	case c.Index:
		target = deliver.Index
	case c.Commit:
		target = deliver.Commit
	case c.Branch != "":
		target = deliver.Branch
	default:
		return nil
	}
	done, err := deliver.Apply(ctx, repo, best, q.Problem.Tree, deliver.Options{Target: target, Branch: c.Branch})
	if err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, layout.Printable(done.Text))
	fmt.Fprintln(a.stdout, layout.Printable("undo: "+done.Undo))
	return nil
}
