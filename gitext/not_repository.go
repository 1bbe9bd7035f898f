package gitext

import (
	"errors"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// notRepository explains why git found no repository. If there is none, the
// error is ErrNotRepository. If git refuses one that exists, the error gives
// git's reason, or our own where git says only that there is none.
func (r *Repo) notRepository(err error) error {
	var gitErr *gitcmd.Error
	if !errors.As(err, &gitErr) || gitErr.Exit != 128 {
		return err
	}
	said := gitErr.Said()
	if !strings.HasPrefix(said, noRepository) {
		if strings.Contains(gitErr.Stderr, "safe.directory") || strings.Contains(gitErr.Stderr, "safe.bareRepository") {
			return &gitcmd.Error{Exit: 128, Err: errors.New(said), Hint: ownerAdvice(gitErr.Stderr)}
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

// noRepository begins git's message when it found no repository.
const noRepository = "not a git repository"

// ownerAdvice returns the command that git suggests for a directory that
// somebody else owns, "" if it suggests none. The directory's name may contain
// lines that look like the command, so it must be the only line in its place,
// at the end.
func ownerAdvice(stderr string) string {
	_, advice, _ := strings.Cut(stderr, "\n\n\t")
	advice = strings.TrimSpace(advice)
	if !strings.HasPrefix(advice, "git config --global --add safe.directory ") || strings.Contains(advice, "\n") {
		return ""
	}
	return advice
}
