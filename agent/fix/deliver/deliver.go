// Package deliver writes an accepted patch into the user's target: the work tree, the index, a
// new branch or a commit. Only this package of git-agent changes a user's files, index or
// branches.
//
// [Apply] writes nothing unless the whole patch fits. Before it writes, it saves the old state
// in refs/agent/backup/. If the process is killed in the middle, a journal stays in the git
// directory: [Interrupted] finds it, and [Recover] restores everything.
//
// # Hooks and filters
//
// A commit in the user's branch is made by git commit, with the user's identity, settings,
// signature and hooks: the user would have used the same command, and a hook must be able to
// reject the commit. A new branch is made by plumbing commands, as in git notes and git
// commit-tree: no hook runs and nothing is signed. The filters of the user's attributes run as
// in git apply.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// A Target is the destination of a patch.
type Target string

// These are the targets.
const (
	WorkTree Target = "worktree" // files of the work tree, as git apply
	Index    Target = "index"    // files and index, as git apply --index
	Branch   Target = "branch"   // a commit on a new branch; HEAD, index and work tree stay
	Commit   Target = "commit"   // files, index and a commit on the current branch, as git commit
)

// Options select the target and the details of a delivery.
type Options struct {
	Target  Target
	Branch  string // name of the new branch, for Branch
	Message string // message of the commit, for Branch and Commit; "" makes one from the trial, see Message
	Run     string // name of the run, for the backup's ref; "" makes a name from the time
}

// A Done describes a finished delivery.
type Done struct {
	Target Target
	Paths  []string   // the files that changed
	Backup string     // ref with the state before; "" for Branch, which overwrites nothing
	Branch string     // the branch with the commit; "" if there is no commit
	Commit gitext.OID // the new commit; "" if there is none
	Text   string     // the changes and the ref of the backup, in one line for the user
	// Undo is a shell command that restores files, index and refs. It works in any directory,
	// until later changes depend on the patch.
	Undo string
}

// A Refusal says why nothing was written.
type Refusal struct {
	Why  string // a clause
	Hint string // advice or a command for the user; may be empty
}

func (r *Refusal) Error() string { return r.Why }

func refuse(hint, format string, args ...any) error {
	return &Refusal{Why: fmt.Sprintf(format, args...), Hint: hint}
}

// Apply writes the patch of a trial to the user's repository. tree is the tree before the
// repair. Apply uses the files of the patch and ignores its Diff. If it returns an error, it
// has restored files, index and branches. If it could not restore them, the error says so and
// names the backup.
func Apply(ctx context.Context, repo *gitext.Repo, t fix.Trial, tree fix.Tree, opt Options) (Done, error) {
	d := &delivery{repo: repo, tree: tree, opt: opt, files: t.Patch.Files}
	for _, f := range d.files {
		d.paths = append(d.paths, f.Path)
	}
	slices.Sort(d.paths)
	d.paths = slices.Compact(d.paths)
	if d.opt.Message == "" && (opt.Target == Branch || opt.Target == Commit) {
		d.opt.Message = messageOf(ctx, repo, t)
	}
	if err := d.readPatch(ctx); err != nil {
		return Done{}, err
	}
	var done Done
	var err error
	switch opt.Target {
	case Branch:
		done, err = d.toBranch(ctx)
	case WorkTree, Index, Commit:
		done, err = d.toWorkTree(ctx)
	default:
		err = fmt.Errorf("%q is no target of a patch", opt.Target)
	}
	if err != nil {
		return Done{}, err
	}
	done.Text = done.text()
	return done, nil
}

// text describes the delivery in one line.
func (d *Done) text() string {
	files := strconv.Quote(d.Paths[0])
	if n := len(d.Paths) - 1; n > 0 {
		files += fmt.Sprintf(" and %d more", n)
	}
	switch d.Target {
	case Branch:
		return fmt.Sprintf("the patch is commit %s on the new branch %s", d.Commit.Short(), d.Branch)
	case Commit:
		return fmt.Sprintf("the patch is commit %s on %s; the state before is in %s", d.Commit.Short(), d.Branch, d.Backup)
	case Index:
		return fmt.Sprintf("the patch is staged: %s; the state before is in %s", files, d.Backup)
	}
	return fmt.Sprintf("the patch is in the work tree: %s; the state before is in %s", files, d.Backup)
}

// A delivery is one call of Apply.
type delivery struct {
	repo  *gitext.Repo
	tree  fix.Tree
	opt   Options
	files []gitext.Overlay
	paths []string // paths of the files, sorted
	diff  []byte
	head  gitext.Head
	now   []gitext.Overlay // the files in the work tree, as git add would store them
	raw   []gitext.Overlay // the files in the work tree, byte for byte
}

// readPatch computes the diff from the tested files. The Diff of the patch itself cannot be
// trusted.
func (d *delivery) readPatch(ctx context.Context) error {
	if err := d.checkShape(ctx); err != nil {
		return err
	}
	dir, err := disk.MakeTemp()
	if err != nil {
		return fmt.Errorf("cannot make a directory to compare files: %w", err)
	}
	defer dir.Remove()
	if d.diff, err = d.repo.DiffOverlays(ctx, filepath.Join(dir.Path, "tree"), d.tree.Commit, d.tree.Over, d.files); err != nil {
		return err
	}
	if len(d.diff) == 0 {
		return refuse("", "the patch changes nothing")
	}
	return nil
}

// toBranch makes a commit on top of the tree's commit, and a branch for it.
func (d *delivery) toBranch(ctx context.Context) (Done, error) {
	if err := d.checkBranch(ctx); err != nil {
		return Done{}, err
	}
	commit, err := d.repo.CommitPatch(ctx, d.tree.Commit, d.diff, d.opt.Message)
	if err != nil {
		return Done{}, fmt.Errorf("the patch does not apply to %s: %w", d.tree.Commit.Short(), err)
	}
	if err := d.repo.CreateBranch(ctx, d.opt.Branch, commit); err != nil {
		return Done{}, err
	}
	return Done{Target: Branch, Paths: d.paths, Branch: d.opt.Branch, Commit: commit, Undo: d.git("branch", "-D", d.opt.Branch)}, nil
}

// toWorkTree writes files, and the index or a commit if the target requires it.
func (d *delivery) toWorkTree(ctx context.Context) (Done, error) {
	if err := d.checkWorkTree(ctx); err != nil {
		return Done{}, err
	}
	lock, err := lockJournal(d.repo.GitDir())
	if err != nil {
		return Done{}, err
	}
	defer lock.release()
	if err := d.check(ctx); err != nil {
		return Done{}, err
	}
	saved, err := d.save(ctx)
	if err != nil {
		return Done{}, fmt.Errorf("nothing was written, because no backup could be made: %w", err)
	}
	note := d.journal(saved)
	done := Done{Target: d.opt.Target, Paths: d.paths, Backup: saved.Ref, Undo: note.Undo}
	testOnlyStep("saved")
	if err := lock.write(note); err != nil {
		return Done{}, errors.Join(err, d.repo.DropState(ctx, saved))
	}
	testOnlyStep("noted")
	if done.Commit, err = d.write(ctx, note); err != nil {
		if err = d.takeBack(ctx, err, saved, note); !errors.As(err, new(*partError)) {
			lock.clear()
		}
		return Done{}, err
	}
	if done.Commit != "" {
		done.Branch = d.head.Branch
	}
	testOnlyStep("written")
	lock.clear()
	return done, nil
}

// write applies the patch, and commits it for the target Commit.
func (d *delivery) write(ctx context.Context, note *journal) (gitext.OID, error) {
	if err := d.repo.ApplyPatch(ctx, d.diff, gitext.ApplyOptions{Index: d.opt.Target != WorkTree}); err != nil {
		return "", err
	}
	d.keepPermissions(note)
	testOnlyStep("applied")
	if d.opt.Target != Commit {
		return "", nil
	}
	return d.repo.CommitIndex(ctx, d.opt.Message)
}

// restoreTime bounds the work after a failure. It does not end with the caller's
// context: half of a patch must not stay because the user pressed Ctrl-C.
const restoreTime = time.Minute

// takeBack restores everything after a failure and returns the error to report.
func (d *delivery) takeBack(ctx context.Context, failure error, saved gitext.Saved, note *journal) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTime)
	defer cancel()
	if head, err := d.repo.Head(ctx); err == nil && head.Commit != note.Head {
		return fmt.Errorf("%w; the commit %s was made all the same: %s takes it back", failure, head.Commit.Short(), note.Undo)
	}
	kept, err := restore(ctx, d.repo, note)
	if err == nil && len(kept) == 0 {
		return errors.Join(failure, d.repo.DropState(ctx, saved))
	}
	return errors.Join(failure, err, &partError{saved.Ref})
}

// A partError says that a part of a patch remains in the work tree.
type partError struct{ backup string }

func (e *partError) Error() string {
	return fmt.Sprintf("not everything could be put back: %s has the state before, git agent doctor --fix tries again", e.backup)
}

// testOnlyStep is called between the steps of a delivery. Tests end the process there.
var testOnlyStep = func(string) {}
