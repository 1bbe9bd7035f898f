package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
)

// This file, notes.go and saved.go contain all writes into the user's own repository. They happen
// only on request: notes, patches, commits, new branches, and the refs below refs/agent/backup/.
//
// Except in CommitIndex, git runs with the pinned settings here and runs no hook. Filters named
// by the user's attributes do run, as in plain git apply. git always works at the top of the work
// tree: in a sub-directory, git apply would silently skip the files outside that directory.

// atTop returns a runner for git at the top of the user's work tree, or in the git
// directory of a bare repository.
func (r *Repo) atTop(env ...string) *gitcmd.Runner {
	git := *r.user
	git.Dir = r.gitDir
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_DIR="+r.gitDir)
	if r.workTree != "" {
		git.Dir = r.workTree
		git.Env = append(git.Env, "GIT_WORK_TREE="+r.workTree)
	}
	git.Env = append(git.Env, env...)
	return &git
}

// withIndex calls f with a runner whose index is a temporary file.
func (r *Repo) withIndex(f func(git *gitcmd.Runner) error) error {
	dir, err := disk.MakeTemp()
	if err != nil {
		return fmt.Errorf("cannot make a directory for an index: %w", err)
	}
	defer dir.Remove()
	return f(r.atTop("GIT_INDEX_FILE=" + filepath.Join(dir.Path, "index")))
}

// writing returns a call, with input for git, that may hold lock files.
func writing(input []byte, args ...string) gitcmd.Call {
	return gitcmd.Call{Args: args, Stdin: bytes.NewReader(input), Writes: true}
}

// oneOID runs git and returns the printed object id.
func oneOID(ctx context.Context, git *gitcmd.Runner, call gitcmd.Call) (OID, error) {
	out, err := git.Output(ctx, call)
	if err != nil {
		return "", err
	}
	return ParseOID(strings.TrimSpace(string(out)))
}

// ApplyOptions are the options of ApplyPatch.
type ApplyOptions struct {
	Index bool // git apply --index: files must match the index, and both change
	Check bool // git apply --check: nothing is written
}

// ApplyPatch applies a patch to the user's work tree as git apply does. The user's settings for
// white space do not apply: the patch is applied unchanged, or not at all. But git apply first
// checks all files and then writes them one by one, so an error of the file system may leave only
// some files written.
func (r *Repo) ApplyPatch(ctx context.Context, patch []byte, opt ApplyOptions) error {
	if err := r.CheckWorkTree(); err != nil {
		return err
	}
	git, args := r.atTop(), []string{"apply", "--whitespace=nowarn", "--no-ignore-whitespace"}
	if opt.Index {
		args = append(args, "--index")
		// Without a refresh, git apply treats a file with only a new time stamp as changed.
		if _, err := git.Output(ctx, writing(nil, "update-index", "-q", "--refresh")); err != nil && ctx.Err() != nil {
			return err
		}
	}
	if opt.Check {
		args = append(args, "--check")
	}
	_, err := git.Output(ctx, writing(patch, args...))
	return err
}

// CommitIndex commits the user's index as git commit does, with the user's identity, settings and
// hooks, and returns the commit. The message is UTF-8 and is not changed. If a hook fails, the
// result is an error and nothing is committed.
func (r *Repo) CommitIndex(ctx context.Context, message string) (OID, error) {
	git := &gitcmd.Runner{
		Dir: r.workTree, Env: gitcmd.OwnEnv(r.opt.Dir != ""), Pins: []string{"--no-pager"},
		Timeout: gitcmd.BuildTotal, Log: r.opt.Log, Look: r.blockingFile,
		// Hooks inherit the bound on git's memory, and may be compilers.
		Limits: gitcmd.NewLimits(func() (int64, bool) { return math.MaxInt64, true }),
	}
	if git.Getenv("GIT_DIR") != "" || git.Getenv("GIT_WORK_TREE") != "" { // they may be relative
		git.Env = append(git.Env, "GIT_DIR="+r.gitDir, "GIT_WORK_TREE="+r.workTree)
	}
	call := writing([]byte(message), "-c", "i18n.commitEncoding=UTF-8", "commit", "--quiet", "--cleanup=whitespace", "--file=-")
	call.Total = gitcmd.BuildTotal
	if _, err := git.Output(ctx, call); err != nil {
		return "", err
	}
	return r.Resolve(ctx, "HEAD")
}

// CheckIdentity returns an error if git cannot commit because it does not know the user's
// identity.
func (r *Repo) CheckIdentity(ctx context.Context) error {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"var", who}})
		var gitErr *gitcmd.Error
		if errors.As(err, &gitErr) && !gitErr.Stopped() {
			return &gitcmd.Error{Exit: 128, Err: errors.New("git does not know who you are"), Hint: identityHint}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// CommitPatch makes a commit whose tree is that of parent with a patch applied. It writes only
// objects: no ref, index or file changes, and no hook runs. The commit is not signed, because git
// commit-tree does not sign. The author is the user.
func (r *Repo) CommitPatch(ctx context.Context, parent OID, patch []byte, message string) (commit OID, err error) {
	tree, err := r.PatchTree(ctx, parent, patch)
	if err != nil {
		return "", err
	}
	return commitTree(ctx, r.atTop(), tree, []OID{parent}, message)
}

// PatchTree makes the tree of a commit with a patch applied. It writes only objects.
func (r *Repo) PatchTree(ctx context.Context, commit OID, patch []byte) (tree OID, err error) {
	if err := commit.valid(); err != nil {
		return "", err
	}
	err = r.withIndex(func(git *gitcmd.Runner) error {
		if _, err := git.Output(ctx, writing(nil, "read-tree", string(commit))); err != nil {
			return err
		}
		if _, err := git.Output(ctx, writing(patch, "apply", "--cached", "--whitespace=nowarn", "--no-ignore-whitespace")); err != nil {
			return err
		}
		tree, err = oneOID(ctx, git, writing(nil, "write-tree", "--missing-ok"))
		return err
	})
	return tree, err
}

// commitTree makes a commit of a tree.
func commitTree(ctx context.Context, git *gitcmd.Runner, tree OID, parents []OID, message string) (OID, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(tree), "-F", "-"}
	for _, p := range parents {
		args = append(args, "-p", string(p))
	}
	return oneOID(ctx, git, writing([]byte(message), args...))
}

// CreateBranch makes a branch at a commit. An existing branch is an error.
func (r *Repo) CreateBranch(ctx context.Context, name string, commit OID) error {
	if err := errors.Join(r.CheckBranchName(ctx, name), commit.valid()); err != nil {
		return err
	}
	return r.updateRefs(ctx, "create refs/heads/"+name+"\x00"+string(commit)+"\x00")
}

// CheckBranchName returns an error if the name is invalid for a branch, or taken.
func (r *Repo) CheckBranchName(ctx context.Context, name string) error {
	git := r.atTop()
	if _, err := git.Output(ctx, gitcmd.Call{Args: []string{"check-ref-format", "refs/heads/" + name}}); err != nil || strings.HasPrefix(name, "-") ||
		name == "HEAD" {
		return errors.Join(ctx.Err(), fmt.Errorf("%q is no name for a branch", name))
	}
	if _, err := git.Output(ctx, gitcmd.Call{Args: []string{"show-ref", "--verify", "--quiet", "refs/heads/" + name}}); err == nil {
		return fmt.Errorf("the branch %q exists already", name)
	}
	return errors.Join(ctx.Err(), r.checkBranchPlace(ctx, name))
}

// checkBranchPlace returns an error if another branch is in the way: its name is a folder in the
// path of the new one, or the reverse.
func (r *Repo) checkBranchPlace(ctx context.Context, name string) error {
	git := r.atTop()
	for i := range name {
		if name[i] != '/' {
			continue
		}
		if _, err := git.Output(ctx, gitcmd.Call{Args: []string{"show-ref", "--verify", "--quiet", "refs/heads/" + name[:i]}}); err == nil {
			return fmt.Errorf("there can be no branch %q beside the branch %q", name, name[:i])
		}
	}
	below, err := git.Output(
		ctx,
		gitcmd.Call{Args: []string{"for-each-ref", "--count=1", "--format=%(refname:lstrip=2)", "refs/heads/" + name + "/"}},
	)
	if other := strings.TrimSpace(string(below)); other != "" {
		return fmt.Errorf("there can be no branch %q beside the branch %q", name, other)
	}
	return err
}

// updateRefs changes refs in one transaction. Each command ends with NUL.
func (r *Repo) updateRefs(ctx context.Context, commands string) error {
	_, err := r.atTop().Output(ctx, writing([]byte(commands), "update-ref", "-m", "git agent fix", "--stdin", "-z"))
	return err
}
