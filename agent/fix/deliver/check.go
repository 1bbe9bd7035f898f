package deliver

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// check returns a Refusal if the patch must not be written, or does not fit. It reads the files
// for the backup.
func (d *delivery) check(ctx context.Context) (err error) {
	if d.head, err = d.repo.Head(ctx); err != nil {
		return err
	}
	for _, check := range []func(context.Context) error{d.checkState, d.checkHead, d.checkSparse, d.checkFiles, d.checkCommitted} {
		if err := check(ctx); err != nil {
			return err
		}
	}
	index := gitext.ApplyOptions{Check: true, Index: d.opt.Target != WorkTree}
	if err := d.repo.ApplyPatch(ctx, d.diff, index); err != nil {
		return errors.Join(ctx.Err(), refuse("", "the patch does not apply: %v", err))
	}
	return nil
}

// Ready returns a [Refusal] if no patch at all could be written with these options. So a caller
// can refuse before the work on a patch begins. Ready writes nothing.
func Ready(ctx context.Context, repo *gitext.Repo, opt Options) (err error) {
	d := &delivery{repo: repo, opt: opt}
	if opt.Target == Branch {
		return d.checkBranch(ctx)
	}
	if err := d.checkWorkTree(ctx); err != nil {
		return err
	}
	if left, err := Interrupted(ctx, repo); err != nil {
		return err
	} else if left != nil {
		return errInterrupted
	}
	if d.head, err = repo.Head(ctx); err != nil {
		return err
	}
	if err := d.checkState(ctx); err != nil {
		return err
	}
	return d.checkHead(ctx)
}

// errInterrupted refuses to write after an unfinished delivery.
var errInterrupted = refuse("git agent doctor --fix", "an earlier run was ended while it wrote a patch")

// checkBranch refuses a branch that cannot be created.
func (d *delivery) checkBranch(ctx context.Context) error {
	if err := d.repo.CheckBranchName(ctx, d.opt.Branch); err != nil {
		return refuse("", "%v", err)
	}
	return d.repo.CheckIdentity(ctx)
}

// checkWorkTree refuses a repository without a work tree, and one with an empty work tree
// because nothing was checked out.
func (d *delivery) checkWorkTree(ctx context.Context) error {
	if d.repo.WorkTree() == "" {
		return refuse("--branch NAME makes a branch with the patch", "this repository has no work tree")
	}
	never, err := d.repo.NeverCheckedOut(ctx)
	if err == nil && never {
		return refuse("git checkout, or --branch NAME, which makes a branch with the patch", "nothing is checked out here")
	}
	return err
}

// operations maps files of a git directory to the unfinished operation that they show, and to
// the command that ends it.
var operations = []struct{ file, name, end string }{
	{"MERGE_HEAD", "merge", "git merge --abort"},
	{"CHERRY_PICK_HEAD", "cherry-pick", "git cherry-pick --abort"},
	{"REVERT_HEAD", "revert", "git revert --abort"},
	{"rebase-merge", "rebase", "git rebase --abort"},
	{"rebase-apply", "rebase", "git rebase --abort"},
	{"sequencer", "cherry-pick or revert of several commits", "git status"},
	{"BISECT_LOG", "bisection", "git bisect reset"},
}

// checkState refuses to write in the middle of another operation.
func (d *delivery) checkState(context.Context) error {
	for _, op := range operations {
		if _, err := os.Lstat(filepath.Join(d.repo.GitDir(), op.file)); err == nil {
			return refuse("finish it, or end it: "+op.end, "a %s is under way", op.name)
		}
	}
	if d.head.Conflicts {
		return refuse("git status", "the index has conflicts")
	}
	if d.opt.Target == WorkTree {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(d.repo.GitDir(), "index.lock")); err == nil {
		return refuse(
			"if no git is running: rm "+quote.Shell(filepath.Join(d.repo.GitDir(), "index.lock")),
			"another git holds the lock of the index",
		)
	}
	if d.head.Staged {
		return refuse("commit them, or put them aside: git stash", "the index has changes that are not committed")
	}
	return nil
}

// checkHead refuses a commit that would be lost, or would have no author.
func (d *delivery) checkHead(ctx context.Context) error {
	switch {
	case d.opt.Target == WorkTree:
		return nil
	case d.head.Commit == "":
		return refuse("", "the current branch has no commit yet")
	case d.opt.Target == Index:
		return nil
	case d.head.Branch == "":
		return refuse("--branch NAME makes a branch with the patch", "HEAD is detached: no branch would have the commit")
	}
	return d.repo.CheckIdentity(ctx)
}

// checkSparse refuses files that the user's sparse checkout leaves out.
func (d *delivery) checkSparse(ctx context.Context) error {
	sparse, err := d.repo.SparsePaths(ctx, d.paths)
	if err == nil && len(sparse) > 0 {
		err = refuse("--branch NAME makes a branch with the patch", "%s is outside of the sparse checkout", strconv.Quote(sparse[0]))
	}
	return err
}

// checkShape refuses paths in other repositories, and a patch that replaces a directory by a
// file or a file by a directory: git would remove the old one, although neither the patch nor
// the backup contains it.
func (d *delivery) checkShape(ctx context.Context) error {
	entries, err := d.repo.Tree(ctx, d.tree.Commit)
	if err != nil {
		return err
	}
	result := map[string]bool{} // paths of the patched tree
	for _, e := range entries {
		result[e.Path] = true
		for _, path := range d.paths {
			if e.Submodule && (path == e.Path || strings.HasPrefix(path, e.Path+"/")) {
				return refuse("", "%s is in the submodule %s", strconv.Quote(path), strconv.Quote(e.Path))
			}
		}
	}
	for _, f := range slices.Concat(d.tree.Over, d.files) {
		result[f.Path] = f.Mode != 0
	}
	for path, there := range result {
		for dir := path; there; {
			slash := strings.LastIndexByte(dir, '/')
			if slash < 0 {
				break
			}
			if dir = dir[:slash]; result[dir] {
				return refuse("", "%s would be a file and a directory", strconv.Quote(dir))
			}
		}
	}
	return nil
}

// checkFiles refuses if a file of the patch has changed since the repair.
func (d *delivery) checkFiles(ctx context.Context) (err error) {
	for _, path := range d.paths {
		if err := d.checkKind(path); err != nil {
			return err
		}
	}
	if d.now, err = d.repo.WorkFiles(ctx, d.paths); err != nil {
		return err
	}
	if d.raw, err = gitext.ReadOverlays(d.repo.WorkTree(), d.paths); err != nil {
		return err
	}
	began, err := d.filesAt(ctx, d.tree.Commit)
	if err != nil {
		return err
	}
	for _, o := range d.tree.Over {
		if _, asked := began[o.Path]; asked {
			if began[o.Path], err = d.read(ctx, o); err != nil {
				return err
			}
		}
	}
	if path, differ := firstOther(d.now, began); differ {
		return refuse("run git agent fix again", "%s has changed since the run began", strconv.Quote(path))
	}
	return nil
}

// checkKind refuses a path of something that git cannot track, such as a directory or a pipe,
// and a path with a parent that is no directory. git apply --check does not see all of these.
func (d *delivery) checkKind(path string) error {
	full := filepath.Join(d.repo.WorkTree(), filepath.FromSlash(path))
	if info, err := os.Lstat(full); err == nil && !info.Mode().IsRegular() && info.Mode()&os.ModeSymlink == 0 {
		return refuse("", "%s is no regular file", strconv.Quote(path))
	}
	for dir := filepath.Dir(full); len(dir) > len(d.repo.WorkTree()); dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
			return refuse("", "%s leads through %s, which is no directory", strconv.Quote(path), strconv.Quote(filepath.Base(dir)))
		}
	}
	return nil
}

// checkCommitted refuses if a file of the patch has uncommitted changes: git apply --index
// would refuse it, and a commit would include them.
func (d *delivery) checkCommitted(ctx context.Context) error {
	if d.opt.Target == WorkTree {
		return nil
	}
	head, err := d.filesAt(ctx, d.head.Commit)
	if err != nil {
		return err
	}
	if path, differ := firstOther(d.now, head); differ {
		return refuse(
			"commit them first, or apply the patch to the work tree only: --apply",
			"%s has changes that are not committed",
			strconv.Quote(path),
		)
	}
	return nil
}

// filesAt returns the commit's versions of the patch's files. A file that the commit lacks has
// Mode 0.
func (d *delivery) filesAt(ctx context.Context, commit gitext.OID) (map[string]gitext.Overlay, error) {
	entries, err := d.repo.Tree(ctx, commit, d.paths...)
	if err != nil {
		return nil, err
	}
	files := map[string]gitext.Overlay{}
	for _, path := range d.paths {
		files[path] = gitext.Overlay{Path: path}
	}
	for _, e := range entries {
		if _, asked := files[e.Path]; !asked {
			continue // a file below a path that is a directory there
		}
		if files[e.Path], err = d.read(ctx, gitext.Overlay{Path: e.Path, Mode: e.Mode, OID: e.OID}); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// read returns a file with its content.
func (d *delivery) read(ctx context.Context, o gitext.Overlay) (gitext.Overlay, error) {
	if o.OID == "" || o.Mode == 0 {
		return o, nil
	}
	content, err := d.repo.Blob(ctx, o.OID, maxFile)
	return gitext.Overlay{Path: o.Path, Mode: o.Mode, Content: content}, err
}

// maxFile bounds the size of a file, in bytes.
const maxFile = 64 << 20

// firstOther returns the first path with a difference between files and others.
func firstOther(files []gitext.Overlay, others map[string]gitext.Overlay) (string, bool) {
	for _, f := range files {
		if o := others[f.Path]; f.Mode != o.Mode || !bytes.Equal(f.Content, o.Content) {
			return f.Path, true
		}
	}
	return "", false
}
