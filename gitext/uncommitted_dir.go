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
)

// An uncommittedDir is a temporary git directory for comparing the user's index and work tree
// with HEAD. git reads the user's index and files in place and writes neither. This directory has
// everything else that git reads:
//
//	config                    ours: no filter, diff driver, hook or fsmonitor is defined
//	objects/info/alternates   the user's objects
//	info/attributes           a copy: it decides how line endings are converted
//	info/exclude              a copy: it says which new files are ignored
//	sharedindex.*             copies of the parts of a split index
//
// The attributes of the work tree may still name filters and diff drivers, but this directory
// defines none. So git runs no program and applies only its built-in conversions.
type uncommittedDir struct {
	repo      *Repo
	dir       string // of temporary
	temporary *disk.TempDir
	git       *gitcmd.Runner
}

const (
	// maxAttributes is the size in bytes above which git 2.39 ignores a file of attributes.
	maxAttributes = 100 << 20
	// maxSharedIndex is the largest part of a split index to copy, in bytes: about five million
	// files.
	maxSharedIndex = 1 << 30
)

func (r *Repo) newUncommittedDir(ctx context.Context) (*uncommittedDir, error) {
	index, err := r.indexFile(ctx)
	if err != nil {
		return nil, err
	}
	temporary, err := disk.MakeTemp()
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

// workTreeDir returns a directory for reading the user's work tree, with the user's
// workTreeSettings.
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

func (u *uncommittedDir) close() { u.temporary.Remove() } // leftovers in the system's temporary directory do no harm

// indexFile returns the path of the user's index. In a hook, GIT_INDEX_FILE may name another
// index.
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

// copySharedIndex copies the files that a split index refers to by hash. Most repositories have
// no split index.
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

// workTreeSettings matches the settings for comparing files with the index, for ignored files,
// and for filters.
const workTreeSettings = `^(core\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|autocrlf|eol|sparsecheckout|sparsecheckoutcone|attributesfile|excludesfile)|index\.sparse|filter\..*\.(clean|process))$`

// plainValue matches a boolean or a single word; these settings take no other values.
var plainValue = pattern.Lazy(`^[A-Za-z0-9]*$`)

// useWorkTree lets git read the user's files. The settings of the user and of the repository
// decide what counts as a change.
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

// blockingNames lists the files of a work tree that keep git waiting if they are pipes. git skips
// other irregular files.
var blockingNames = map[string]bool{".gitattributes": true, ".gitignore": true}

// blockingFile looks for a file that would keep git waiting: a file of the repository itself, or
// one of blockingNames in the work tree.
func (u *uncommittedDir) blockingFile(ctx context.Context) error {
	if err := u.repo.blockingFile(ctx); err != nil {
		return err
	}
	return gitdir.BlockingBelow(ctx, u.repo.workTree, blockingNames)
}
