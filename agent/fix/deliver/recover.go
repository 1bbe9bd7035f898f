package deliver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// An Interruption is a delivery whose process ended early, for instance by kill -9.
type Interruption struct {
	Target Target
	Backup string    // ref with the state before
	Began  time.Time // when it began to write
	Paths  []string  // files that the delivery may have changed
}

// Interrupted returns the unfinished delivery in the work tree of a repository, or nil. A
// delivery that another process is working on does not count.
func Interrupted(_ context.Context, repo *gitext.Repo) (*Interruption, error) {
	held, err := openJournal(repo.GitDir(), 0)
	if errors.As(err, new(*Refusal)) || held == nil {
		return nil, ignoreRefusal(err)
	}
	defer held.file.Close()
	note, err := held.read()
	if note == nil {
		return nil, err
	}
	found := &Interruption{Target: note.Target, Backup: backupRef + note.Name, Began: note.Began}
	for _, f := range note.Files {
		found.Paths = append(found.Paths, string(f.Path))
	}
	return found, nil
}

// backupRef begins the names of backups.
const backupRef = "refs/agent/backup/"

// ignoreRefusal returns nil instead of the error that another process holds the journal.
func ignoreRefusal(err error) error {
	if errors.As(err, new(*Refusal)) {
		return nil
	}
	return err
}

// A Recovery says how an unfinished delivery was brought to an end.
type Recovery struct {
	Finished bool     // the commit was made, and stays
	Undo     string   // if Finished, the command that takes the commit back
	Kept     []string // files that were changed afterwards and stay unchanged; Backup has the old ones
	Backup   string   // ref with the state before the delivery
}

// Recover ends an unfinished delivery: it restores files and index. If the commit was already
// made, the delivery counts as finished. The backup stays. Recover returns nil if there is no
// unfinished delivery.
func Recover(ctx context.Context, repo *gitext.Repo) (*Recovery, error) {
	held, err := openJournal(repo.GitDir(), 0)
	if err != nil || held == nil {
		return nil, err
	}
	defer held.release() // release removes an empty journal
	note, err := held.read()
	if note == nil {
		return nil, err
	}
	done := &Recovery{Backup: backupRef + note.Name}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	if note.Target == Commit && head.Commit != note.Head {
		done.Finished, done.Undo = true, note.Undo
	} else if done.Kept, err = restore(ctx, repo, note); err != nil {
		return nil, err
	}
	held.clear()
	return done, nil
}

// restore gives files and index the state of the backup. It returns the paths of files that
// somebody else wrote: their content is neither the old one, nor that of the patch, nor a
// beginning of it.
func restore(ctx context.Context, repo *gitext.Repo, note *journal) (kept []string, err error) {
	r := &restorer{repo: repo, note: note, dir: repo.WorkTree()}
	if err := errors.Join(repo.CheckWorkTree(), r.checkIndex()); err != nil {
		return nil, err
	}
	if r.saved, err = repo.ReadState(ctx, note.Name); err != nil {
		return nil, err
	}
	if note.Target != WorkTree {
		r.removeLocks()
	}
	var paths []string
	for _, f := range note.Files {
		paths = append(paths, string(f.Path))
	}
	if note.Target != WorkTree {
		if err := repo.RestoreIndex(ctx, r.saved, paths); err != nil {
			return nil, fmt.Errorf("restore the index: %w", err)
		}
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var problems []error
	for _, f := range note.Files {
		foreign, err := r.file(ctx, root, f)
		if err != nil {
			problems = append(problems, fmt.Errorf("restore %s: %w", strconv.Quote(string(f.Path)), err))
		}
		if foreign {
			kept = append(kept, string(f.Path))
		}
	}
	return kept, errors.Join(problems...)
}

// A restorer restores the files of a journal.
type restorer struct {
	repo  *gitext.Repo
	note  *journal
	saved gitext.Saved
	dir   string
}

// checkIndex refuses an index that is a link, because git would write to its target.
func (r *restorer) checkIndex() error {
	index := filepath.Join(r.repo.GitDir(), "index")
	if info, err := os.Lstat(index); r.note.Target != WorkTree && err == nil && !info.Mode().IsRegular() {
		return refuse("", "%s is no regular file", quote.Path(index))
	}
	return nil
}

// removeLocks removes lock files that a killed git left.
func (r *restorer) removeLocks() {
	r.removeLock(r.repo.GitDir(), "index.lock")
	r.removeLock(r.repo.GitDir(), "HEAD.lock")
	common := r.repo.CommonDir()
	if inside, err := filepath.Rel(common, r.repo.GitDir()); err == nil && filepath.IsLocal(inside) && r.note.Branch != "" {
		r.removeLock(common, filepath.Join("refs", "heads", filepath.FromSlash(r.note.Branch)+".lock"))
	}
}

// removeLock removes a lock file inside a git directory, unless it existed before the delivery
// and belongs to another process. If the removal fails, git reports the lock.
func (r *restorer) removeLock(dir, name string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer root.Close()
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.ModTime().After(r.note.Began) {
		root.Remove(name)
	}
}

// file restores one file, unless somebody else wrote it.
func (r *restorer) file(ctx context.Context, root *os.Root, f journalFile) (foreign bool, err error) {
	p := string(f.Path)
	now, err := gitext.ReadOverlays(r.dir, []string{p})
	if err != nil {
		return false, err
	}
	before, err := r.backup(ctx, beforeDir, p)
	if err != nil {
		return false, err
	}
	if same(now[0], before) {
		return false, nil
	}
	after, err := r.backup(ctx, afterDir, p)
	if err != nil {
		return false, err
	}
	stored, err := r.repo.WorkFiles(ctx, []string{p})
	if err != nil {
		return false, err
	}
	if now[0].Mode != 0 && !begins(after, stored[0]) {
		return true, nil
	}
	if before.Mode == 0 {
		return false, remove(root, p, f.Dirs)
	}
	return false, put(root, before, f.Perm)
}

// same reports whether two files are the same.
func same(a, b gitext.Overlay) bool { return a.Mode == b.Mode && bytes.Equal(a.Content, b.Content) }

// begins reports whether part could be an incompletely written file.
func begins(whole, part gitext.Overlay) bool {
	return whole.Mode != 0 && bytes.HasPrefix(whole.Content, part.Content)
}

// backup reads a file of the backup; Mode 0 means that the file did not exist.
func (r *restorer) backup(ctx context.Context, dir, p string) (gitext.Overlay, error) {
	name := path.Join(dir, p)
	entries, err := r.repo.Tree(ctx, r.saved.Extra, name)
	if err != nil {
		return gitext.Overlay{}, err
	}
	for _, e := range entries {
		if e.Path == name {
			content, err := r.repo.Blob(ctx, e.OID, maxFile)
			return gitext.Overlay{Path: p, Mode: e.Mode, Content: content}, err
		}
	}
	return gitext.Overlay{Path: p}, nil
}

// remove removes a new file, and the new directories above it.
func remove(root *os.Root, p string, dirs int) error {
	name := filepath.FromSlash(p)
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for range dirs {
		name = filepath.Dir(name)
		if root.Remove(name) != nil {
			break // somebody put a file there
		}
	}
	return nil
}

// put writes a file in one step, so that a partial file is never visible.
func put(root *os.Root, o gitext.Overlay, perm fs.FileMode) error {
	name := filepath.FromSlash(o.Path)
	for i := range name {
		if name[i] != filepath.Separator {
			continue
		}
		if info, err := root.Lstat(name[:i]); err == nil && !info.IsDir() {
			return fmt.Errorf("%s is no longer a directory", strconv.Quote(name[:i]))
		}
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	temporary := filepath.Join(filepath.Dir(name), ".git-agent-"+strings.TrimPrefix(filepath.Base(name), "."))
	root.Remove(temporary) // remains of an earlier restoration
	if o.Mode == modeLink {
		if err := root.Symlink(string(o.Content), temporary); err != nil {
			return err
		}
		return root.Rename(temporary, name)
	}
	if err := root.WriteFile(temporary, o.Content, perm|0o200); err != nil {
		return err
	}
	return errors.Join(root.Chmod(temporary, perm), root.Rename(temporary, name))
}
