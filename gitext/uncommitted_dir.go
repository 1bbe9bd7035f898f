package gitext

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
	"git-agent/gitext/gitdir"
	"git-agent/gitext/pattern"
	"git-agent/gitext/quote"
)

// An uncommittedDir is a temporary git directory of ours, through which git
// compares the user's index and work tree with HEAD. git reads the user's index
// and files in place and writes neither. Everything else that it reads is in
// this directory:
//
//	config                    ours: no filter, diff driver, hook or fsmonitor is defined
//	objects/info/alternates   the user's objects
//	info/attributes           a copy: it decides how line endings are converted
//	info/exclude              a copy: it says which new files are ignored
//	sharedindex.*             copies of the parts of a split index
//
// The attributes of the work tree may still name filters and diff drivers, but
// none of those names is defined here. So git runs no program and applies only
// its built-in conversions.
type uncommittedDir struct {
	repo      *Repo
	dir       string // of temporary
	temporary *disk.Dir
	git       *gitcmd.Runner
}

const (
	// maxAttributes is the size above which git 2.39 ignores a file of attributes.
	maxAttributes = 100 << 20
	// maxSharedIndex is the largest part of a split index that is copied: about
	// five million files.
	maxSharedIndex = 1 << 30
)

func (r *Repo) newUncommittedDir(ctx context.Context) (*uncommittedDir, error) {
	index, err := r.indexFile(ctx)
	if err != nil {
		return nil, err
	}
	temporary, err := disk.Make()
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory to compare files: %w", err)
	}
	dir := temporary.Path
	u := &uncommittedDir{repo: r, dir: dir, temporary: temporary}
	if err := u.fill(); err != nil {
		u.close()
		return nil, fmt.Errorf("prepare to compare files: %w", err)
	}
	git := *r.shadow
	git.Dir = dir
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_DIR="+dir, "GIT_INDEX_FILE="+index)
	u.git = &git
	return u, nil
}

// workTreeDir returns a directory through which git reads the user's work tree, with the
// user's workTreeSettings.
func (r *Repo) workTreeDir(ctx context.Context, settings map[string][]gitconfig.Value) (*uncommittedDir, error) {
	if r.workTree == "" {
		return nil, &gitcmd.Error{Args: []string{"diff-index"}, Exit: 128, Err: ErrNotExist, Hint: "this repository has no work tree"}
	}
	if err := r.CheckWorkTree(); err != nil {
		return nil, err
	}
	u, err := r.newUncommittedDir(ctx)
	if err != nil {
		return nil, err
	}
	if err := u.useWorkTree(settings); err != nil {
		u.close()
		return nil, err
	}
	return u, nil
}

func (u *uncommittedDir) close() { u.temporary.Remove() } // what cannot be removed stays in the system's temporary directory and does no harm

// indexFile returns the path of the user's index. A hook may be given another
// one in GIT_INDEX_FILE.
func (r *Repo) indexFile(ctx context.Context) (string, error) {
	index := filepath.Join(r.gitDir, "index")
	if r.user.Getenv("GIT_INDEX_FILE") != "" {
		out, err := r.user.Output(
			ctx,
			gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"rev-parse", "--path-format=absolute", "--git-path", "index"}},
		)
		if err != nil {
			return "", err
		}
		index = strings.TrimSuffix(string(out), "\n")
	}
	f, err := disk.Regular(index) // git would wait for ever on a named pipe
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return index, nil // nothing was ever staged
	case err != nil:
		return "", fmt.Errorf("read the index: %w", err)
	}
	return index, f.Close()
}

// fill writes the directory.
func (u *uncommittedDir) fill() error {
	if err := gitdir.Write(u.dir, u.repo.shadowFiles()); err != nil {
		return err
	}
	for _, name := range []string{"attributes", "exclude"} {
		text, err := disk.ReadRegular(filepath.Join(u.repo.commonDir, "info", name), maxAttributes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Join(u.dir, "info"), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(u.dir, "info", name), text, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return u.copySharedIndex()
}

// copySharedIndex copies the files that a split index refers to by their
// hashes. Most repositories have none.
func (u *uncommittedDir) copySharedIndex() error {
	entries, err := os.ReadDir(u.repo.gitDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		sum, isPart := strings.CutPrefix(e.Name(), "sharedindex.")
		if _, err := hex.DecodeString(sum); !isPart || err != nil {
			continue
		}
		err := disk.Copy(filepath.Join(u.dir, e.Name()), filepath.Join(u.repo.gitDir, e.Name()), maxSharedIndex)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // git removes old ones
			return err
		}
	}
	return nil
}

// CheckWorkTree refuses a work tree that only the repository's configuration
// names (core.worktree): it could be any directory, and its files would be
// shown, sent to a model or written. A work tree is accepted if it leads back to the
// repository, as a submodule's does, or if the user's environment names it or
// the repository.
func (r *Repo) CheckWorkTree() error {
	if info, err := os.Stat(r.workTree); err != nil || !info.IsDir() {
		return &gitcmd.Error{Exit: 128, Err: fmt.Errorf("the work tree %q is not there", r.workTree)}
	}
	if r.user.Getenv("GIT_WORK_TREE") != "" || r.user.Getenv("GIT_DIR") != "" {
		return nil
	}
	back, errBack := os.Stat(gitdir.Find(r.workTree, ""))
	own, errOwn := os.Stat(r.gitDir)
	if errors.Join(errBack, errOwn) == nil && os.SameFile(back, own) {
		return nil
	}
	return &gitcmd.Error{
		Exit: 128, Err: fmt.Errorf("only core.worktree in the repository itself names the work tree %q", r.workTree),
		Hint: "if that is right: git --work-tree=" + quote.Shell(r.workTree) + " agent ...",
	}
}

// workTreeSettings matches the settings that change how files are compared with
// the index, those that say which files are ignored, and those that define filters.
const workTreeSettings = `^(core\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|autocrlf|eol|sparsecheckout|sparsecheckoutcone|attributesfile|excludesfile)|index\.sparse|filter\..*\.(clean|process))$`

// plainValue matches a boolean or a single word, which is all that those
// settings take.
var plainValue = pattern.Lazy(`^[A-Za-z0-9]*$`)

// useWorkTree lets git read the user's files. What counts as a change is
// decided by the settings of the user and of the repository.
func (u *uncommittedDir) useWorkTree(settings map[string][]gitconfig.Value) error {
	pins := append(gitcmd.Pinned[:len(gitcmd.Pinned):len(gitcmd.Pinned)], "-c", "core.bare=false")
	for key, values := range settings {
		last := values[len(values)-1]
		switch {
		case strings.HasPrefix(key, "filter."):
			continue
		case key == "core.attributesfile":
			last = gitconfig.Value{Value: gitconfig.Trusted(values)} // the repository's own value could name any file
			if last.Value == "" {
				continue
			}
		case key == "core.excludesfile":
		case !plainValue().MatchString(last.Value):
			return fmt.Errorf("%s has the value %q (%s), which git does not accept", key, last.Value, last.Scope)
		}
		if last.Bare {
			last.Value = "true"
		}
		pins = append(pins, "-c", key+"="+last.Value)
	}
	u.git.Pins = pins
	u.git.Dir = u.repo.workTree
	u.git.Env = append(u.git.Env, "GIT_WORK_TREE="+u.repo.workTree)
	u.git.Look = u.blockingFile
	if dir := u.repo.user.Getenv("XDG_CONFIG_HOME"); dir != "" {
		u.git.Env = append(u.git.Env, "XDG_CONFIG_HOME="+dir) // for the user's own attributes
	}
	return nil
}

// blockingNames lists the files of a work tree for which git waits if they are pipes. It
// skips other files that are not regular.
var blockingNames = map[string]bool{".gitattributes": true, ".gitignore": true}

// blockingFile looks for a file that keeps git waiting when it reads the work
// tree: one of the repository's own files, or one of blockingNames.
func (u *uncommittedDir) blockingFile(ctx context.Context) error {
	if err := u.repo.blockingFile(ctx); err != nil {
		return err
	}
	return gitdir.BlockingBelow(ctx, u.repo.workTree, blockingNames)
}
