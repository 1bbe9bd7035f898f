package app

import (
	"errors"
	"testing"

	"git-agent/agent/session"
)

func TestAgainHint(t *testing.T) {
	// The command that goes on does not begin anew; what is behind -- is the user's.
	t.Parallel()
	a := &App{Args: []string{"bisect", "--restart", "--good=v1", "--", "make", "--restart"}}
	const want = "git agent bisect --good=v1 -- make --restart"
	var hinted *session.HintedError
	if err := a.WithAgainHint(errors.New("interrupted"), "--restart"); !errors.As(err, &hinted) || hinted.Hint != want {
		t.Errorf("%#v", err)
	}
}
