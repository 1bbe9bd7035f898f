package gitext

import (
	"errors"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// notRepository explains why git found no repository. If there is none, the error
// is ErrNotRepository. If git refuses an existing repository, the error has git's
// reason, or our own if git only says that there is no repository.
func (r *Repo) notRepository(err error) error {
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || gitErr.Exit != 128 {
		return err
	}
	said := gitErr.Said()
	if !strings.HasPrefix(said, noRepository) {
		if strings.Contains(gitErr.Stderr, "safe.directory") || strings.Contains(gitErr.Stderr, "safe.bareRepository") {
			return &gitcmd.Error{Exit: 128, Err: errors.New(said), Hint: gitcmd.OwnerAdvice(gitErr.Stderr)}
		}
		return &gitcmd.Error{Exit: 128, Err: errors.New(gitcmd.WholeComplaint(gitErr.Stderr))}
	}
	if why := gitdir.BrokenAt(r.opt.Dir, r.user.Getenv("GIT_DIR")); why != "" {
		return &gitcmd.Error{Exit: 128, Err: errors.New(why)}
	}
	gitErr.Err = errors.Join(ErrNotRepository, gitErr.Err)
	gitErr.Hint = "run this inside a repository, or name one with 'git -C <dir> agent ...'"
	return gitErr
}

// noRepository is the beginning of git's message if there is no repository.
const noRepository = "not a git repository"
