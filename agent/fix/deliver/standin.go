// Package deliver is a stand-in.
package deliver

import (
	"context"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

type Target string

const (
	WorkTree Target = "worktree"
	Index    Target = "index"
	Commit   Target = "commit"
	Branch   Target = "branch"
)

type Options struct {
	Target Target
	Branch string
}
type Done struct{ Text, Undo string }

func Apply(ctx context.Context, repo *gitext.Repo, t fix.Trial, tree fix.Tree, opt Options) (Done, error) {
	return Done{}, nil
}
