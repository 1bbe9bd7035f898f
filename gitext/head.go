package gitext

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"git-agent/gitext/gitcmd"
)

// A Head describes the checked-out commit and branch and the state of the index.
type Head struct {
	Commit    OID    // "" before the first commit
	Branch    string // short name; "" if HEAD is detached
	Staged    bool   // the index differs from Commit
	Conflicts bool   // the index has paths with conflicts
}

// Head reads the state of HEAD and the index.
func (r *Repo) Head(ctx context.Context) (Head, error) {
	var h Head
	git := r.atTop()
	ref, err := answer(ctx, git, "symbolic-ref", "--quiet", "HEAD")
	if err != nil {
		return h, err
	}
	h.Branch = strings.TrimPrefix(strings.TrimSuffix(ref, "\n"), "refs/heads/")
	commit, err := answer(ctx, git, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	if err != nil {
		return h, err
	}
	h.Commit = OID(strings.TrimSpace(commit))
	if r.workTree == "" {
		return h, nil
	}
	unmerged, err := git.Output(ctx, gitcmd.Call{Args: []string{"ls-files", "--unmerged", "-z"}})
	if err != nil {
		return h, err
	}
	base := h.Commit
	if base == "" {
		base = r.emptyTree()
	}
	changed, err := git.Output(
		ctx,
		gitcmd.Call{Args: []string{"diff-index", "--cached", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", string(base)}},
	)
	h.Conflicts, h.Staged = len(unmerged) > 0, len(changed) > 0
	return h, err
}

// NeverCheckedOut reports whether nothing was checked out yet, as after git clone
// --no-checkout: HEAD has a commit, but there is neither an index nor a file in the work tree.
// git diff HEAD would then report all files as deleted.
func (r *Repo) NeverCheckedOut(ctx context.Context) (bool, error) {
	if r.workTree == "" {
		return false, nil
	}
	index, err := r.indexFile(ctx)
	if err != nil {
		return false, err
	}
	if _, err := os.Lstat(index); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if _, err := r.Resolve(ctx, "HEAD"); err != nil {
		return false, nil // before the first commit
	}
	entries, err := os.ReadDir(r.workTree)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != ".git" }), nil
}

// answer runs git and returns its output, or "" for exit code 1, which means no.
func answer(ctx context.Context, git *gitcmd.Runner, args ...string) (string, error) {
	out, err := git.Output(ctx, gitcmd.Call{Args: args})
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 {
		return "", nil
	}
	return string(out), err
}

// SparsePaths returns the paths that a sparse checkout leaves out of the work tree.
func (r *Repo) SparsePaths(ctx context.Context, paths []string) ([]string, error) {
	out, err := r.atTop().Output(ctx, gitcmd.Call{Args: withPaths([]string{"ls-files", "-t", "-z"}, paths)})
	var sparse []string
	for _, record := range splitNUL(out) {
		if path, skipped := strings.CutPrefix(record, "S "); skipped {
			sparse = append(sparse, path)
		}
	}
	return sparse, err
}
