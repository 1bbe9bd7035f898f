package engine

import (
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// UncommittedTests returns the uncommitted files of the work tree that are tests of a command, to
// be laid over each commit, and the number of other uncommitted files. Files named in but are
// left out of both, and so are installed packages. A bare repository, or one without a checkout, has none.
func UncommittedTests(ctx context.Context, repo *gitext.Repo, command string, but []string) (tests []gitext.Overlay, others int, err error) {
	if repo.WorkTree() == "" {
		return nil, 0, nil
	}
	if never, err := repo.NeverCheckedOut(ctx); err != nil || never {
		return nil, 0, err
	}
	changed, _, err := repo.Uncommitted(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, o := range changed {
		switch {
		case slices.Contains(but, o.Path), source.IsInstalled(o.Path):
		case source.IsTestOf(o.Path, command) && o.Mode != 0:
			tests = append(tests, o)
		default:
			others++
		}
	}
	return tests, others, nil
}
