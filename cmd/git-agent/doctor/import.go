package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Earlier versions stored their data in the repository's git directory. Such a
// directory may also come with a downloaded archive, so no verb reads it. The
// doctor imports it if the user agrees.

// oldData returns the directory of earlier versions' data, and reports whether it
// has recorded runs (runs) or any data (found).
func oldData(repo *gitext.Repo) (dir string, runs, found bool) {
	dir = filepath.Join(repo.CommonDir(), "agent")
	info, err := os.Lstat(dir)
	if err != nil {
		return dir, false, false
	}
	if !info.IsDir() {
		return dir, false, info.Mode()&fs.ModeSymlink != 0
	}
	for _, name := range []string{"cache.db", "traces.db", "shadow.git", "traces.db.runs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			found, runs = true, runs || name == "traces.db"
		}
	}
	return dir, runs, found
}

func checkOldData(repo *gitext.Repo) (finding, bool) {
	dir, runs, found := oldData(repo)
	if !found {
		return finding{}, false
	}
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return warn("old data", "rm "+quote.Shell(dir), "%s is a link that no git-agent made; it is not read", dir), true
	}
	what := "no longer read"
	if runs {
		what = "no longer read, nor are the runs that it records"
	}
	return warn("old data", "git agent doctor --fix", "%s is of an earlier version or came with the repository; it is %s", dir, what), true
}

// repair makes the repairs of --fix: it reverts a partly written patch, rebuilds
// damaged changed-path filters and imports the data of earlier versions.
func (v *visit) repair(ctx context.Context, repo *gitext.Repo) error {
	unrecovered := v.recoverDelivery(ctx, repo)
	if repo.CheckBloom(ctx) != nil && ctx.Err() == nil {
		_ = repo.RebuildBloom(ctx) // checkSpeed reports a failure
	}
	return errors.Join(unrecovered, v.importOldData(ctx, repo))
}

// importOldData asks the user whether to copy the data of earlier versions, and
// whether to delete it.
func (v *visit) importOldData(ctx context.Context, repo *gitext.Repo) error {
	dir, runs, found := oldData(repo)
	if info, err := os.Lstat(dir); !found || err != nil || !info.IsDir() {
		return nil
	}
	if !v.Yes && !(ui.IsTerminal(v.Stdin) && ui.IsTerminal(v.Stderr)) {
		v.say("%s is left as it is: --fix asks about it on a terminal, and --yes answers", ui.Printable(dir))
		return nil
	}
	if runs && v.confirm(fmt.Sprintf("Copy the recorded runs of %s to your own? Say no when it came with an archive.", ui.Printable(dir))) {
		if err := v.importRuns(ctx, repo, dir); err != nil {
			return err // and delete nothing
		}
	}
	if !v.confirm(fmt.Sprintf("Delete %s?", ui.Printable(dir))) {
		return nil
	}
	left, err := place.RemoveOld(dir)
	for _, name := range left {
		v.say("%s was not made by git-agent and is left", ui.Printable(filepath.Join(dir, name)))
	}
	return err
}

// confirm asks a yes-or-no question. Any answer but yes means no.
func (v *visit) confirm(question string) bool {
	if v.Yes {
		return true
	}
	if v.answers == nil {
		v.answers = bufio.NewReader(v.Stdin)
	}
	return ui.Confirm(v.answers, v.Stderr, question)
}

// importRuns copies the recorded runs in dir to the user's data.
func (v *visit) importRuns(ctx context.Context, repo *gitext.Repo, dir string) error {
	k := v.Data.Folders(ctx, repo.CommonDir())
	err := k.StateErr
	if err == nil {
		err = k.State.Make()
	}
	if err != nil {
		return session.WithHint(err, store.Hint)
	}
	done, err := cache.ImportTraces(ctx, dir, k.State.Path, v.Data.TraceOptions())
	if err != nil {
		return store.Hinted(errors.Join(fmt.Errorf("the runs of %q were not copied", dir), err))
	}
	text := fmt.Sprintf("%s with %s copied", agent.Plural(int(done.Runs), "run"), agent.Plural(int(done.Steps), "step"))
	if done.Known > 0 {
		text += fmt.Sprintf(", known before: %d", done.Known)
	}
	if done.Damaged > 0 {
		text += fmt.Sprintf(", damaged: %d", done.Damaged)
	}
	v.say("%s", text)
	return nil
}
