package gitext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/pattern"
)

// A Saved is the state of a repository before a write: a commit in the form of git stash. The
// commit's tree is the work tree. Its parents are HEAD (unless HEAD has no commit yet), a commit
// of the index, and a commit of further files, which are not files of the work tree.
type Saved struct {
	Ref    string // refs/agent/backup/<name>
	Commit OID
	Index  OID // a commit
	Extra  OID // a commit
}

// savedName matches a valid name after refs/agent/backup/.
var savedName = pattern.Lazy(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// IsStateName reports whether the name is valid for a saved state.
func IsStateName(name string) bool { return savedName().MatchString(name) }

// SaveState makes refs/agent/backup/<name>, which must not exist. The saved work tree is the
// index with files on top, as WorkFiles returns them. extra are the further files. Only objects
// and that ref are written. An index with conflicts cannot be saved.
func (r *Repo) SaveState(ctx context.Context, name string, files, extra []Overlay) (Saved, error) {
	s := Saved{Ref: "refs/agent/backup/" + name}
	if !IsStateName(name) {
		return s, fmt.Errorf("%q is no name for a backup", name)
	}
	var head []OID
	if oid, err := r.Resolve(ctx, "HEAD"); err == nil {
		head = []OID{oid}
	}
	err := r.withIndex(func(git *gitcmd.Runner) (err error) {
		if err := r.copyIndex(ctx, git.Getenv("GIT_INDEX_FILE")); err != nil {
			return err
		}
		if s.Index, err = r.save(ctx, git, nil, head, "the index"); err != nil {
			return err
		}
		s.Commit, err = r.save(ctx, git, files, nil, "the work tree")
		return err
	})
	if err != nil {
		return s, err
	}
	return s, r.withIndex(func(git *gitcmd.Runner) (err error) {
		if s.Extra, err = r.save(ctx, git, extra, nil, "further files"); err != nil {
			return err
		}
		work, err := r.Commit(ctx, s.Commit)
		if err != nil {
			return err
		}
		if s.Commit, err = commitTree(ctx, ours(git), work.Tree, append(head, s.Index, s.Extra), "the state before git agent fix wrote"); err != nil {
			return err
		}
		return r.updateRefs(ctx, "create "+s.Ref+"\x00"+string(s.Commit)+"\x00")
	})
}

// save commits the tree of a scratch index with files over it.
func (r *Repo) save(ctx context.Context, git *gitcmd.Runner, files []Overlay, parents []OID, message string) (OID, error) {
	tree, err := r.treeOver(ctx, git, files)
	if err != nil {
		return "", err
	}
	return commitTree(ctx, ours(git), tree, parents, message)
}

// ours returns a runner whose commits have our own author, as in git stash for a user without an
// identity.
func ours(git *gitcmd.Runner) *gitcmd.Runner {
	own := *git
	own.Env = append(git.Env[:len(git.Env):len(git.Env)],
		"GIT_AUTHOR_NAME=git agent", "GIT_AUTHOR_EMAIL=git-agent@localhost",
		"GIT_COMMITTER_NAME=git agent", "GIT_COMMITTER_EMAIL=git-agent@localhost")
	return &own
}

// copyIndex copies the user's index. The parts of a split index stay where they are:
// git looks for them in the git directory.
func (r *Repo) copyIndex(ctx context.Context, to string) error {
	index, err := r.indexFile(ctx)
	if err != nil {
		return err
	}
	if err := disk.Copy(to, index, maxIndex); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("copy the index: %w", err)
	}
	return nil
}

// ReadState reads refs/agent/backup/<name>.
func (r *Repo) ReadState(ctx context.Context, name string) (Saved, error) {
	s := Saved{Ref: "refs/agent/backup/" + name}
	if !IsStateName(name) {
		return s, fmt.Errorf("%q is no name for a backup", name)
	}
	oid, err := r.Resolve(ctx, s.Ref)
	if err != nil {
		return s, err
	}
	commit, err := r.Commit(ctx, oid)
	if err != nil {
		return s, err
	}
	n := len(commit.Parents)
	if n < 2 {
		return s, fmt.Errorf("%s holds no saved state", s.Ref)
	}
	s.Commit, s.Index, s.Extra = oid, commit.Parents[n-2], commit.Parents[n-1]
	return s, nil
}

// DropState removes refs/agent/backup/<name>.
func (r *Repo) DropState(ctx context.Context, s Saved) error {
	return r.updateRefs(ctx, "delete "+s.Ref+"\x00"+string(s.Commit)+"\x00")
}

// RestoreIndex restores the entries of the user's index for some paths from a saved state. Other
// entries stay.
func (r *Repo) RestoreIndex(ctx context.Context, s Saved, paths []string) error {
	entries, err := r.Tree(ctx, s.Index, paths...)
	if err != nil {
		return err
	}
	over := gone(paths)
	for _, e := range entries {
		for i := range over {
			if over[i].Path == e.Path {
				over[i].Mode, over[i].OID = e.Mode, e.OID
			}
		}
	}
	git := r.atTop()
	info, err := r.indexInfo(ctx, git, over)
	if err != nil {
		return err
	}
	_, err = git.Output(ctx, writing(info, "update-index", "-z", "--index-info"))
	return err
}
