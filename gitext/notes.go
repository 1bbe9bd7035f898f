package gitext

import (
	"bytes"
	"context"
	"errors"

	"git-agent/gitext/gitcmd"
)

// Notes are written in our own namespace, and only on request. The other writes into the user's
// own repository are in apply.go and saved.go.

// AddNote writes a note for a commit to refs/notes/agent. It replaces an existing note. The author
// is the user, as with git notes.
func (r *Repo) AddNote(ctx context.Context, commit OID, text []byte) error {
	if err := validAll(commit); err != nil {
		return err
	}
	_, err := r.user.Output(ctx, gitcmd.Call{
		Timeout: gitcmd.QuickTimeout,
		Writes:  true,
		Args:    []string{"notes", "--ref=agent", "add", "--force", "--file=-", string(commit)},
		Stdin:   bytes.NewReader(text),
	})
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && !gitErr.Stopped() && !r.hasIdentity(ctx) {
		gitErr.Hint = identityHint
	}
	return err
}

// identityHint has the commands that set the user's identity.
const identityHint = "git config --global user.name <name>\ngit config --global user.email <email>"

// hasIdentity reports whether git knows the user's identity.
func (r *Repo) hasIdentity(ctx context.Context) bool {
	_, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"var", "GIT_COMMITTER_IDENT"}})
	return err == nil
}
