package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/deliver"
	"git-agent/agent/sandbox"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/disk"
	"git-agent/gitext/quote"
)

// A killed run may leave a partly written patch and temporary directories.

// repairHint is the command that cleans up after interrupted runs.
const repairHint = "git agent doctor --fix"

// deliveryOptions are the options of fix that write a patch.
var deliveryOptions = map[deliver.Target]string{
	deliver.WorkTree: "--apply", deliver.Index: "--index", deliver.Commit: "--commit", deliver.Branch: "--branch",
}

// checkDelivery looks for a patch that fix wrote only in part.
func checkDelivery(ctx context.Context, repo *gitext.Repo) (finding, bool) {
	const check = "patch"
	left, err := deliver.Interrupted(ctx, repo)
	var refused *deliver.Refusal
	switch {
	case errors.As(err, &refused):
		return fail(check, refused.Hint, "%s", ui.FatalText(err)), true
	case err != nil:
		return fail(check, "", "whether a patch was left half written is unknown: %s", ui.FatalText(err)), true
	case left == nil:
		return finding{}, false
	}
	return fail(
		check,
		repairHint,
		"'git agent fix %s' began to write a patch at %s and was ended before it was done, so that a part of it may be there: %s; %s has the state before",
		deliveryOptions[left.Target],
		left.Began.Local().Format("2006-01-02 15:04"),
		someFiles(left.Paths),
		left.Backup,
	), true
}

// someFiles names the first files of a list.
func someFiles(paths []string) string {
	const most = 3
	var names []string
	for _, p := range paths[:min(len(paths), most)] {
		names = append(names, quote.Path(p))
	}
	text := strings.Join(names, ", ")
	if n := len(paths) - len(names); n > 0 {
		text += " and " + agent.Plural(n, "more file")
	}
	return text
}

// recoverDelivery reverts a partly written patch, unless its commit was already complete.
func (v *visit) recoverDelivery(ctx context.Context, repo *gitext.Repo) error {
	left, err := deliver.Interrupted(ctx, repo)
	if err != nil {
		return nil // checkDelivery reports it
	}
	done, err := deliver.Recover(ctx, repo)
	switch {
	case left == nil:
		return nil // an empty journal is gone, and a journal in use stays
	case err != nil:
		return fmt.Errorf("the patch that was left half written cannot be taken back: %w", err)
	case done == nil:
		return nil // another process did it
	case done.Finished:
		// The journal's own undo command is not shown: it may have come with an archive.
		v.say(
			"the commit of 'git agent fix --commit' had been made and stays: 'git show' shows it, %s has the state before",
			ui.Printable(done.Backup),
		)
		return nil
	}
	v.say("the patch of 'git agent fix %s' is taken back: %s", deliveryOptions[left.Target], ui.Printable(someFiles(left.Paths)))
	for _, p := range done.Kept {
		v.say("%s was changed since and is left as it is; to see it as it was before: %s", ui.Printable(quote.Path(p)),
			ui.Printable("git show "+quote.Shell(done.Backup+"^3:before/"+p)))
	}
	return nil
}

// checkTemporary looks for temporary directories of killed runs.
func checkTemporary() (finding, bool) {
	const check = "temporary"
	trees, err1 := sandbox.Leftovers()
	others, err2 := disk.Leftovers()
	n := len(trees) + len(others)
	switch err := errors.Join(err1, err2); {
	case err != nil:
		return warn(check, "", "whether killed runs left directories in %s is unknown: %v", os.TempDir(), err), true
	case n == 0:
		return finding{}, false
	}
	first := append(trees, others...)[0]
	return warn(
		check,
		repairHint,
		"killed runs left %s in %s, such as %s",
		agent.Plural(n, "temporary folder"),
		os.TempDir(),
		filepath.Base(first),
	), true
}

// removeTemporary removes the temporary directories of killed runs. checkTemporary reports the
// remaining ones.
func (v *visit) removeTemporary() {
	trees, _ := sandbox.RemoveLeftovers()
	others, _ := disk.SweepTemps()
	if n := trees + others; n > 0 {
		v.say("%s of killed runs removed", agent.Plural(n, "temporary folder"))
	}
}
