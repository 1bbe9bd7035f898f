package gitext

import (
	"errors"
	"fmt"
	"os"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
	"git-agent/gitext/quote"
)

// CheckWorkTree returns an error for a work tree that only the repository's configuration names
// (core.worktree): such a setting could name any directory, whose files would be shown, sent to a
// model or written. A work tree is accepted if its .git leads back to the repository, as in a
// submodule, or if the user's environment names it or the repository.
func (r *Repo) CheckWorkTree() error {
	if info, err := os.Stat(r.workTree); err != nil || !info.IsDir() {
		return &gitcmd.Error{Exit: 128, Err: fmt.Errorf("the work tree %q is not there", r.workTree)}
	}
	if r.user.Getenv("GIT_WORK_TREE") != "" || r.user.Getenv("GIT_DIR") != "" {
		return nil
	}
	back, errBack := os.Stat(gitdir.Find(r.workTree, ""))
	own, errOwn := os.Stat(r.gitDir)
	if errors.Join(errBack, errOwn) == nil && os.SameFile(back, own) {
		return nil
	}
	return &gitcmd.Error{
		Exit: 128, Err: fmt.Errorf("only core.worktree in the repository itself names the work tree %q", r.workTree),
		Hint: "if that is right: git --work-tree=" + quote.Shell(r.workTree) + " agent ...",
	}
}
