package gitext

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An aside is a git directory of ours for one look at the user's index and
// work tree. git reads both in place, and writes neither; all else that it
// reads is in the aside:
//
//	config                    ours, so that no filter, diff driver, hook or monitor is defined
//	objects/info/alternates   the user's objects
//	info/attributes           a copy: it says how line ends are converted
//	sharedindex.*             copies of the parts of a split index
//
// The attributes of the work tree may still name filters and drivers, but none
// of that name is defined, so no program runs, and conversions that git does
// itself are done.
type aside struct {
	repo *Repo
	dir  string
	git  *runner
}

const (
	// maxAttributes is where git 2.39 ignores a file of attributes, too.
	maxAttributes = 100 << 20
	// maxSharedIndex bounds a part of a split index: five million files.
	maxSharedIndex = 1 << 30
)

func (r *Repo) newAside(ctx context.Context) (*aside, error) {
	index, err := r.indexFile(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "git-agent-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("no place to compare files: %w", err)
	}
	a := &aside{repo: r, dir: dir}
	if err := a.fill(); err != nil {
		a.close()
		return nil, fmt.Errorf("prepare to compare files: %w", err)
	}
	git := *r.shadow
	git.dir = dir
	git.env = append(git.env[:len(git.env):len(git.env)], "GIT_DIR="+dir, "GIT_INDEX_FILE="+index)
	a.git = &git
	return a, nil
}

func (a *aside) close() { os.RemoveAll(a.dir) } // a rest below the system's temporary directory harms nobody

// indexFile is the user's index. A hook may be told of another one.
func (r *Repo) indexFile(ctx context.Context) (string, error) {
	index := filepath.Join(r.gitDir, "index")
	if r.user.getenv("GIT_INDEX_FILE") != "" {
		out, err := r.user.output(ctx, call{timeout: quickTimeout, args: []string{"rev-parse", "--path-format=absolute", "--git-path", "index"}})
		if err != nil {
			return "", err
		}
		index = strings.TrimSuffix(string(out), "\n")
	}
	f, err := OpenRegular(index) // git would wait at a pipe
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return index, nil // nothing was ever staged
	case err != nil:
		return "", fmt.Errorf("read the index: %w", err)
	}
	return index, f.Close()
}

// fill writes the directory.
func (a *aside) fill() error {
	if err := writeShadow(a.dir, a.repo.shadowFiles()); err != nil {
		return err
	}
	attributes, err := ReadRegular(filepath.Join(a.repo.commonDir, "info", "attributes"), maxAttributes)
	if err == nil {
		if err = os.Mkdir(filepath.Join(a.dir, "info"), 0o700); err == nil {
			err = os.WriteFile(filepath.Join(a.dir, "info", "attributes"), attributes, 0o600)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return a.copySharedIndex()
}

// copySharedIndex copies the files that a split index refers to by their
// hashes. Mostly there is none.
func (a *aside) copySharedIndex() error {
	entries, err := os.ReadDir(a.repo.gitDir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		sum, isPart := strings.CutPrefix(e.Name(), "sharedindex.")
		if _, err := hex.DecodeString(sum); !isPart || err != nil {
			continue
		}
		err := copyFile(filepath.Join(a.dir, e.Name()), filepath.Join(a.repo.gitDir, e.Name()), maxSharedIndex)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // git removes old ones
			return err
		}
	}
	return nil
}

// copyFile copies a regular file of at most max bytes to a new one.
func copyFile(to, from string, max int64) error {
	in, err := OpenRegular(from)
	if err != nil {
		return err
	}
	defer in.Close() // only read
	if info, err := in.Stat(); err != nil || info.Size() > max {
		return errors.Join(err, fmt.Errorf("%q has more than %d bytes", from, max))
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// checkWorkTree refuses a work tree that only the repository's configuration
// names (core.worktree): the files of any directory would be shown, and sent to
// a model. Right is one that leads back to the repository, as a submodule's
// does, and one that the user's environment is about.
func (r *Repo) checkWorkTree() error {
	if !isDir(r.workTree) {
		return &Error{Exit: 128, Err: fmt.Errorf("the work tree %q is not there", r.workTree)}
	}
	if r.user.getenv("GIT_WORK_TREE") != "" || r.user.getenv("GIT_DIR") != "" {
		return nil
	}
	back, errBack := os.Stat(findGitDir(r.workTree, ""))
	own, errOwn := os.Stat(r.gitDir)
	if errors.Join(errBack, errOwn) == nil && os.SameFile(back, own) {
		return nil
	}
	return &Error{
		Exit: 128, Err: fmt.Errorf("the work tree is %q, as only the repository itself says (core.worktree)", r.workTree),
		Hint: "if that is right: git --work-tree=" + ShellQuote(r.workTree) + " agent ...",
	}
}

// workTreeSettings are those that change how files are compared with the
// index, and those that define filters.
const workTreeSettings = `^(core\.(filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|autocrlf|eol|sparsecheckout|sparsecheckoutcone|attributesfile)|index\.sparse|filter\..*\.(clean|process))$`

// plainValue is a boolean or a word: all that those settings take.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9]*$`)

// useWorkTree lets git read the user's files, by the rules of the user and of
// the repository about what counts as a change.
func (a *aside) useWorkTree(settings map[string][]ConfigValue) error {
	pins := append(pinned[:len(pinned):len(pinned)], "-c", "core.bare=false")
	for key, values := range settings {
		last := values[len(values)-1]
		switch {
		case strings.HasPrefix(key, "filter."):
			continue
		case key == "core.attributesfile":
			last = ConfigValue{Value: trusted(values)} // a repository's could be any file
			if last.Value == "" {
				continue
			}
		case !plainValue.MatchString(last.Value):
			return fmt.Errorf("%s is %q (%s), which git does not know", key, last.Value, last.Scope)
		}
		if last.Bare {
			last.Value = "true"
		}
		pins = append(pins, "-c", key+"="+last.Value)
	}
	a.git.pins = pins
	a.git.dir = a.repo.workTree
	a.git.env = append(a.git.env, "GIT_WORK_TREE="+a.repo.workTree)
	a.git.look = a.odd
	if dir := a.repo.user.getenv("XDG_CONFIG_HOME"); dir != "" {
		a.git.env = append(a.git.env, "XDG_CONFIG_HOME="+dir) // for the user's own attributes
	}
	return nil
}

// odd looks for what keeps git waiting when it reads the work tree: files of
// the repository, and attributes. It knows to leave other files alone that are
// no files.
func (a *aside) odd(ctx context.Context) error {
	if err := a.repo.odd(ctx); err != nil {
		return err
	}
	return oddBelow(ctx, a.repo.workTree, map[string]bool{".gitattributes": true})
}
