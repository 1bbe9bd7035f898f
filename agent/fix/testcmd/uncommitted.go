package testcmd

import (
	"context"
	"errors"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// ErrNotCheckedOut is the error of WithUncommitted where the work tree has nothing yet.
var ErrNotCheckedOut = errors.New("nothing is checked out here, so the bug is sought in HEAD")

// WithUncommitted returns a tree of HEAD with the uncommitted changes of the work tree, but for installed packages. left
// names changed files that are left out, as gitext.Repo.Uncommitted says.
func WithUncommitted(ctx context.Context, repo *gitext.Repo, tree fix.Tree) (with fix.Tree, left []string, err error) {
	switch never, err := repo.NeverCheckedOut(ctx); {
	case err != nil:
		return tree, nil, err
	case never:
		return tree, nil, ErrNotCheckedOut
	}
	over, left, err := repo.Uncommitted(ctx)
	if err != nil {
		return tree, nil, err
	}
	tree.Over = slices.DeleteFunc(over, func(o gitext.Overlay) bool { return source.IsInstalled(o.Path) })
	return tree, slices.DeleteFunc(left, source.IsInstalled), nil
}
