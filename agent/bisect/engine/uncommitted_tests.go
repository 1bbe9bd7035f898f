package engine

import (
	"bytes"
	"context"
	"path"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Laid are the uncommitted tests of the work tree that are laid over each commit.
type Laid struct {
	Files  []gitext.Overlay
	Units  []trial.UnitTests // of source files whose other lines are those of HEAD
	Others int               // number of other uncommitted files
}

// UncommittedTests returns the uncommitted tests of a command, and the uncommitted scripts that it names. Files named in
// but are left out, and so are installed packages. A bare repository, or one without a checkout, has none.
func UncommittedTests(ctx context.Context, repo *gitext.Repo, command string, but []string) (laid Laid, err error) {
	if repo.WorkTree() == "" {
		return laid, nil
	}
	if never, err := repo.NeverCheckedOut(ctx); err != nil || never {
		return laid, err
	}
	changed, _, err := repo.Uncommitted(ctx)
	if err != nil {
		return laid, err
	}
	for _, o := range changed {
		switch {
		case slices.Contains(but, o.Path), source.IsInstalled(o.Path):
		case source.IsTestOf(o.Path, command) && o.Mode != 0, isNewScript(ctx, repo, o, command):
			laid.Files = append(laid.Files, o)
		case isUnitTests(ctx, repo, o):
			laid.Units = append(laid.Units, trial.UnitTests{Path: o.Path, Mode: o.Mode, Text: o.Content})
		default:
			laid.Others++
		}
	}
	return laid, nil
}

// isNewScript reports whether a command names a text that no commit has yet: without it, the command would run nowhere.
func isNewScript(ctx context.Context, repo *gitext.Repo, o gitext.Overlay, command string) bool {
	if o.Mode == 0 || len(o.Content) == 0 || bytes.IndexByte(o.Content, 0) >= 0 || !source.Names(command, o.Path) {
		return false
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return false
	}
	known, err := repo.Tree(ctx, head, o.Path)
	return err == nil && len(known) == 0
}

// isUnitTests reports whether an uncommitted file of Rust differs from HEAD in nothing but its unit tests.
func isUnitTests(ctx context.Context, repo *gitext.Repo, o gitext.Overlay) bool {
	if path.Ext(o.Path) != ".rs" || len(o.Content) == 0 {
		return false
	}
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return false
	}
	old, err := repo.BlobAt(ctx, head, o.Path, trial.MaxUnitTests)
	return err == nil && source.OnlyUnitTestsDiffer(o.Path, old, o.Content)
}
