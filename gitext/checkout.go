package gitext

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// An Overlay is one file that Checkout writes over the files of a commit.
type Overlay struct {
	Path    string
	Mode    uint32 // as in a tree; 0 removes the path
	OID     OID    // the content, or "" for Content
	Content []byte
}

// Checkout makes dir contain the files of a commit, with the files of over on top. Unlike git
// worktree add, it writes nothing into the user's repository, neither refs nor index nor
// configuration, and runs no hook.
//
// The first call fills dir; later calls update the files that differ. Changed tracked files are
// restored; untracked files are kept, so build caches survive; a file that is the same in both
// states keeps its time stamp. dir.index and dir.objects beside dir belong to the checkout; a
// command in dir must not be able to write them. dir/.git is a small repository, made anew each
// time, so that builds can ask git for the revision; gitext never reads it.
//
// Attributes of the tree apply if they need no program: line endings are converted, filters do
// not run, so files kept in Git LFS stay pointers. Submodules are empty directories. Symbolic
// links are created unchanged, and git does not write through them. If this clone lacks a blob,
// or ctx ends, dir is left empty.
func (r *Repo) Checkout(ctx context.Context, commit OID, dir string, over ...Overlay) error {
	w, _, err := r.checkOut(ctx, commit, dir, over)
	if err != nil {
		return err
	}
	return w.writeRepository(commit, gitdir.AlternatesLine(w.dir+".objects")+string(gitdir.Alternates(w.repo.objects)))
}

// checkOut makes dir contain the files, without dir/.git. It also returns the id of the
// checked-out commit or tree.
func (r *Repo) checkOut(ctx context.Context, commit OID, dir string, over []Overlay) (*checkout, OID, error) {
	if err := commit.valid(); err != nil {
		return nil, "", err
	}
	w, err := r.openCheckout(dir)
	if err != nil {
		return nil, "", err
	}
	tree, err := w.combine(ctx, commit, over)
	if err != nil {
		return nil, "", fmt.Errorf("lay files over %s: %w", commit.Short(), r.explain(ctx, err))
	}
	// A killed git leaves its lock behind. dir has one user at a time, so the lock is stale.
	os.Remove(w.index + ".lock")
	if _, err := w.git.Output(ctx, gitcmd.Call{Args: []string{"read-tree", "--reset", "-u", string(tree)}}); err != nil {
		// The index no longer matches the files: files of this commit only would be kept, like a
		// build's.
		err = errors.Join(r.explain(ctx, err), w.empty())
		return nil, "", fmt.Errorf("check out %s: %w", commit.Short(), err)
	}
	return w, tree, nil
}

// checkout is a work tree outside the repository.
type checkout struct {
	repo  *Repo
	dir   string
	index string
	git   *gitcmd.Runner
	alone bool // dir/.git has no history
}

func (r *Repo) openCheckout(dir string) (*checkout, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	objects := dir + ".objects"
	for _, d := range []string{dir, filepath.Join(objects, "info")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("make a checkout: %w", err)
		}
	}
	if err := os.WriteFile(filepath.Join(objects, "info", "alternates"), gitdir.Alternates(r.objects), 0o600); err != nil {
		return nil, fmt.Errorf("make a checkout: %w", err)
	}
	w := &checkout{repo: r, dir: dir, index: dir + ".index"}
	git := *r.shadow
	git.Dir = dir
	git.Env = append(git.Env[:len(git.Env):len(git.Env)],
		"GIT_WORK_TREE="+dir, "GIT_INDEX_FILE="+w.index, "GIT_OBJECT_DIRECTORY="+objects)
	git.Pins = append(git.Pins[:len(git.Pins):len(git.Pins)],
		"-c", "core.bare=false", "-c", "core.sparseCheckout=false", "-c", "submodule.recurse=false",
		"-c", "core.autocrlf=false", "-c", "core.untrackedCache=false")
	git.Look = func(ctx context.Context) error {
		return errors.Join(r.blockingFile(ctx), gitdir.BlockingBelow(ctx, dir, blockingNames))
	}
	w.git = &git
	return w, nil
}

// empty removes all files of the checkout.
func (w *checkout) empty() error {
	if err := os.Remove(w.index); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(w.dir); err == nil {
		return nil
	}
	root, err := os.OpenRoot(filepath.Dir(w.dir))
	if err != nil {
		return err
	}
	defer root.Close()
	return removeBelow(root, filepath.Base(w.dir))
}

// combine writes the tree of commit with the files of over on top into the checkout's own object
// directory. Checking out that tree in one step keeps the time stamps of unchanged files. Without
// files, it returns the commit.
func (w *checkout) combine(ctx context.Context, commit OID, over []Overlay) (OID, error) {
	if len(over) == 0 {
		return commit, nil
	}
	key := w.overlaid(commit, over)
	if tree, ok := w.known(key); ok {
		return tree, nil
	}
	git := *w.git
	index := w.dir + ".combine"
	defer os.Remove(index)
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_INDEX_FILE="+index)
	if _, err := git.Output(ctx, gitcmd.Call{Args: []string{"read-tree", string(commit)}}); err != nil {
		return "", err
	}
	tree, err := w.repo.treeOver(ctx, &git, over)
	if err == nil {
		w.remember(key, tree)
	}
	return tree, err
}

// treeOver writes the tree of git's index with the files of over on top. The index must be a
// scratch file, because it changes.
func (r *Repo) treeOver(ctx context.Context, git *gitcmd.Runner, over []Overlay) (OID, error) {
	info, err := r.indexInfo(ctx, git, over)
	if err != nil {
		return "", err
	}
	if len(info) > 0 {
		if _, err := git.Output(ctx, writing(info, "update-index", "-z", "--index-info")); err != nil {
			return "", err
		}
	}
	// --missing-ok: in a partial clone, blobs of other paths may be absent; the checkout reports
	// those that matter.
	return oneOID(ctx, git, writing(nil, "write-tree", "--missing-ok"))
}

// indexInfo returns over in the input format of update-index --index-info, and writes contents
// without an id as objects.
func (r *Repo) indexInfo(ctx context.Context, git *gitcmd.Runner, over []Overlay) ([]byte, error) {
	var info []byte
	for _, o := range over {
		if !InsideTree(o.Path) {
			return nil, fmt.Errorf("%q is not a path inside a tree", o.Path)
		}
		oid := o.OID
		switch {
		case o.Mode == 0:
			oid = OID(strings.Repeat("0", r.oidDigits()))
		case oid == "":
			var err error
			if oid, err = oneOID(ctx, git, writing(o.Content, "hash-object", "-w", "-t", "blob", "--stdin")); err != nil {
				return nil, err
			}
		}
		if err := oid.valid(); err != nil {
			return nil, err
		}
		info = fmt.Appendf(info, "%o %s\t%s\x00", o.Mode, oid, o.Path)
	}
	return info, nil
}

// InsideTree reports whether a path is valid for a file of a tree: it leads neither out of the
// tree nor into a git directory. update-index skips other paths without an error.
func InsideTree(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if strings.EqualFold(part, ".git") {
			return false
		}
	}
	return filepath.IsLocal(path) && !strings.ContainsRune(path, 0)
}

// writeRepository makes dir/.git, with HEAD at a commit and the objects of alternates. A command
// may have put anything at dir/.git, even a link to another repository; os.Root keeps all writes
// inside dir.
func (w *checkout) writeRepository(commit OID, alternates string) error {
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.RemoveAll(".git"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clean the checkout: %w", err)
	}
	for _, d := range []string{".git/objects/info", ".git/refs"} {
		if err := root.MkdirAll(d, 0o700); err != nil {
			return err
		}
	}
	files := map[string]string{
		".git/HEAD":                    string(commit) + "\n",
		".git/config":                  "[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = " + w.repo.format + "\n",
		".git/objects/info/alternates": alternates,
	}
	if w.repo.shallow && !w.alone {
		files[".git/shallow"] = string(shallowFile(w.repo.boundary))
	}
	index, err := os.ReadFile(w.index)
	if err != nil {
		return err
	}
	files[".git/index"] = string(index)
	for name, text := range files {
		if err := root.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}
