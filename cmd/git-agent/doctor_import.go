package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// Earlier versions kept their data in the repository. An archive may bring such
// a directory, so no verb reads it; the doctor takes it over when its user says
// so.

// oldData returns the directory of earlier versions, if it holds anything of
// theirs.
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
		return warn("old data", "rm "+gitext.ShellQuote(dir), "%s is a link that no git-agent made; it is not read", dir), true
	}
	what := "no longer read"
	if runs {
		what = "no longer read, nor are the runs that it records"
	}
	return warn("old data", "git agent doctor --fix", "%s is of an earlier version or came with the repository; it is %s", dir, what), true
}

// repair makes right what can be made right here.
func (c *doctorCmd) repair(ctx context.Context, a *app, repo *gitext.Repo) error {
	if repo.CheckBloom(ctx) != nil && ctx.Err() == nil {
		_ = repo.RebuildBloom(ctx) // the check that follows tells
	}
	return c.importOldData(ctx, a, repo)
}

// importOldData asks what to do with the data of earlier versions.
func (c *doctorCmd) importOldData(ctx context.Context, a *app, repo *gitext.Repo) error {
	dir, runs, found := oldData(repo)
	if info, err := os.Lstat(dir); !found || err != nil || !info.IsDir() {
		return nil
	}
	if !c.Yes && !(isTerminal(a.stdin) && isTerminal(a.stderr)) {
		a.say("%s is left as it is: --fix asks about it on a terminal, and --yes answers", layout.Printable(dir))
		return nil
	}
	if runs && c.confirm(a, fmt.Sprintf("Copy the recorded runs of %s to your own? Say no when it came with an archive.", layout.Printable(dir))) {
		if err := a.importRuns(ctx, repo, dir); err != nil {
			return err // what is not copied is not deleted
		}
	}
	if !c.confirm(a, fmt.Sprintf("Delete %s?", layout.Printable(dir))) {
		return nil
	}
	left, err := place.RemoveOld(dir)
	for _, name := range left {
		a.say("%s was not made by git-agent and is left", layout.Printable(filepath.Join(dir, name)))
	}
	return err
}

// confirm asks a question whose answer is no unless it is yes.
func (c *doctorCmd) confirm(a *app, question string) bool {
	if c.Yes {
		return true
	}
	fmt.Fprintf(a.stderr, "%s [y/N] ", question)
	if c.answers == nil {
		c.answers = bufio.NewReader(a.stdin)
	}
	line, _ := c.answers.ReadString('\n') // the end of the input is a no
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}

func (a *app) importRuns(ctx context.Context, repo *gitext.Repo, dir string) error {
	k := a.foldersOf(ctx, repo.CommonDir())
	err := k.stateErr
	if err == nil {
		err = k.state.Make()
	}
	if err != nil {
		return withHint(err, dataDirHint)
	}
	done, err := cache.ImportTraces(ctx, dir, k.state.Path, a.traceOptions())
	if err != nil {
		return cacheError(errors.Join(fmt.Errorf("the runs of %q were not copied", dir), err))
	}
	text := fmt.Sprintf("%s with %s copied", layout.Plural(int(done.Runs), "run"), layout.Plural(int(done.Steps), "step"))
	if done.Known > 0 {
		text += fmt.Sprintf(", known before: %d", done.Known)
	}
	if done.Damaged > 0 {
		text += fmt.Sprintf(", damaged: %d", done.Damaged)
	}
	a.say("%s", text)
	return nil
}
