package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/deliver"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// target returns where the patch is to be delivered; false if the options name no
// place.
func (c *fixCmd) target() (deliver.Target, bool) {
	switch {
	case c.Apply:
		return deliver.Worktree, true
	case c.Index:
		return deliver.Index, true
	case c.Commit:
		return deliver.Commit, true
	case c.Branch != "":
		return deliver.Branch, true
	}
	return deliver.Worktree, false
}

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
	target, wanted := c.target()
	if !wanted {
		return nil
	}
	message, err := fixMessage(ctx, repo, ans, best)
	if err != nil {
		return err
	}
	done, err := deliver.Apply(ctx, repo, best.Patch, q.Problem.Tree, deliver.Options{Target: target, Branch: c.Branch, Message: message})
	var refused *deliver.Refusal
	if errors.As(err, &refused) && refused.Hint != "" {
		return withHint(err, "%s", refused.Hint)
	}
	if err != nil {
		return err
	}
	return a.sayDelivered(done, c.JSON)
}

// sayDelivered prints what was written, and the command that undoes it. With --json it
// goes to standard error, so that standard output is one object.
func (a *app) sayDelivered(done deliver.Done, json bool) error {
	var out io.Writer = a.stdout
	if json {
		out = a.stderr
	}
	what := "applied to " + agent.Plural(len(done.Paths), "file")
	if done.Commit != "" {
		what = "committed as " + done.Commit.Short()
	}
	if done.Branch != "" {
		what += " on branch " + layout.OneLine(done.Branch)
	}
	_, err := fmt.Fprintf(out, "%s\nundo: %s\n", what, layout.Printable(done.Undo))
	return err
}

// fixMessage returns the message of a commit of the patch.
func fixMessage(ctx context.Context, repo *gitext.Repo, ans *fix.Answer, best fix.Trial) (string, error) {
	subject := "Make the failing test pass"
	if failing := ans.Reproduction.Failing; len(failing) > 0 {
		subject = "Fix " + agent.Shorten(agent.CleanLine(failing[len(failing)-1]), 60)
	}
	explanation := best.Why
	if explanation == "" {
		explanation = "The patch " + best.Origin + "."
	}
	var bug *gitext.Commit
	if best.Commit != "" {
		c, err := repo.Commit(ctx, best.Commit)
		if err != nil {
			return "", err
		}
		bug = &c
	}
	return deliver.Message(subject, explanation, bug), nil
}
