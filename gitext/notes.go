package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/pattern"
)

// Notes are written in our own namespace, and only on request. The other writes into the user's
// own repository are in apply.go and saved.go.

// noteRef matches a valid name after refs/notes/.
var noteRef = pattern.Lazy(`^agent(-[a-z0-9-]+)?$`)

// AddNote writes a note for a commit to refs/notes/<name>, where name is
// "agent" or begins with "agent-". It replaces an existing note. The author is
// the user, as with git notes.
func (r *Repo) AddNote(ctx context.Context, name string, commit OID, text []byte) error {
	if !noteRef().MatchString(name) {
		return fmt.Errorf("notes go to refs/notes/agent, not to %q", name)
	}
	if err := validAll(commit); err != nil {
		return err
	}
	_, err := r.user.Output(ctx, gitcmd.Call{
		Timeout: gitcmd.QuickTimeout,
		Writes:  true,
		Args:    []string{"notes", "--ref=" + name, "add", "--force", "--file=-", string(commit)},
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
