package fixtool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/secret"
	"git-agent/gitext"
)

// maxFile bounds the size of a read file, in bytes.
const maxFile = 8 << 20

// An unreadable says why a path is no readable file, as a predicate.
type unreadable string

func (e unreadable) Error() string { return string(e) }

const (
	notThere    unreadable = "is not there"
	isDirectory unreadable = "is a directory"
)

// root opens the work tree. The caller closes it.
func (b *Box) root() (*os.Root, error) { return os.OpenRoot(b.space.Dir()) }

// read returns a regular file of the work tree and its mode. For anything else, the error is an
// unreadable. Links are followed inside the work tree.
func (b *Box) read(name string) ([]byte, fs.FileMode, error) {
	root, err := b.root()
	if err != nil {
		return nil, 0, err
	}
	defer root.Close()
	return readIn(root, name)
}

func readIn(root *os.Root, name string) ([]byte, fs.FileMode, error) {
	name = filepath.FromSlash(name)
	info, err := root.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, notThere
	case err != nil: // a link to the outside, or a file instead of a directory
		return nil, 0, unreadable("cannot be read")
	case info.IsDir():
		return nil, 0, isDirectory
	case !info.Mode().IsRegular():
		return nil, 0, unreadable("is not a regular file")
	case info.Size() > maxFile:
		return nil, 0, unreadable(fmt.Sprintf("has %d bytes, and at most %d are read", info.Size(), maxFile))
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, 0, unreadable("cannot be read")
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, 0, unreadable("cannot be read")
	}
	return data, info.Mode(), nil
}

// text is like read, but refuses files that must not be shown: binary files, and files with a
// name typical of secrets.
func (b *Box) text(name string) ([]byte, fs.FileMode, error) {
	if secret.MustRedact(name) {
		return nil, 0, unreadable("is withheld: by its name it holds secrets")
	}
	data, mode, err := b.read(name)
	if err == nil && binary(data) {
		return nil, 0, unreadable("is a binary file")
	}
	return data, mode, err
}

// binary applies git's rule.
func binary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 }

// write puts a file into the work tree. It replaces the old file by a new one, so that nothing
// is written through a link.
func (b *Box) write(name string, data []byte, mode fs.FileMode) error {
	root, err := b.root()
	if err != nil {
		return err
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	fresh := name + ".git-agent-new"
	if err := root.RemoveAll(fresh); err != nil {
		return err
	}
	if err := root.WriteFile(fresh, data, mode.Perm()|0o200); err != nil {
		return err
	}
	return root.Rename(fresh, name)
}

// remove removes a file from the work tree.
func (b *Box) remove(name string) error {
	root, err := b.root()
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(filepath.FromSlash(name))
}

// linked returns the first part of a path that is a link, "" if none is.
func (b *Box) linked(name string) (string, error) {
	root, err := b.root()
	if err != nil {
		return "", err
	}
	defer root.Close()
	for i, c := range name + "/" {
		if c != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil {
			return "", nil // the path does not exist yet
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return name[:i], nil
		}
	}
	return "", nil
}

// inside returns the paths that a model may mean, best first, relative to the top of the work
// tree: the path itself, and the path without a prefix from a test's output or the a/ of a
// patch.
func (b *Box) inside(tool, raw string) ([]string, error) {
	name := strings.TrimSpace(raw)
	if b.space != nil {
		name = b.relative(name)
	}
	clean := path.Clean(strings.TrimLeft(name, "/"))
	switch {
	case strings.ContainsAny(name, "\x00\n\r"):
		return nil, refuse(tool, "the path %s holds a line break or a NUL", quoted(raw))
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return nil, refuse(tool, "the path %s leads out of the repository; paths are relative to its top", quoted(raw))
	case slices.ContainsFunc(strings.Split(clean, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }):
		if b.opt.NoHistory {
			return nil, refuse(tool, "%s belongs to git, and is no source", quoted(raw))
		}
		return nil, refuse(tool, "%s belongs to git; the git tools show the history", quoted(raw))
	}
	tries := []string{clean}
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(clean, prefix); ok {
			tries = append(tries, rest)
		}
	}
	return tries, nil
}

// relative removes the name of the scratch directory before paths in a text.
func (b *Box) relative(text string) string {
	if b.space == nil {
		return text
	}
	dirs := []string{b.space.Dir()}
	if real, err := filepath.EvalSymlinks(dirs[0]); err == nil && real != dirs[0] {
		dirs = append(dirs, real)
	}
	for _, dir := range dirs {
		text = strings.ReplaceAll(text, dir+string(filepath.Separator), "")
		text = strings.ReplaceAll(text, dir, ".")
	}
	return text
}

// find returns the path of a file or directory that a model named. If it does not exist, the
// error is a *CallError, which suggests similar files.
func (b *Box) find(ctx context.Context, tool, raw string) (string, error) {
	tries, err := b.inside(tool, raw)
	if err != nil {
		return "", err
	}
	root, err := b.root()
	if err != nil {
		return "", err
	}
	defer root.Close()
	for _, name := range tries {
		if _, err := root.Stat(filepath.FromSlash(name)); err == nil {
			return name, nil
		}
	}
	names, err := b.scope.SimilarFiles(ctx, b.repo, tries[len(tries)-1])
	if err != nil {
		return "", err
	}
	switch tail := "/" + tries[len(tries)-1]; {
	case len(names) == 0:
		return "", refuse(tool, "%s is not there; code_search finds text in files, and cat of a directory lists it", quoted(raw))
	case len(names) == 1 && strings.HasSuffix("/"+names[0], tail):
		return names[0], nil
	}
	for i, n := range names {
		names[i] = agent.CleanLine(n)
	}
	return "", refuse(tool, "%s is not there; similar: %s", quoted(raw), strings.Join(names, ", "))
}

// tracked reports whether a path is a file of the problem's tree.
func (b *Box) tracked(ctx context.Context, name string) (bool, error) {
	for _, o := range b.problem.Tree.Over {
		if o.Path == name {
			return o.Mode != 0, nil
		}
	}
	_, err := b.repo.BlobAt(ctx, b.problem.Tree.Commit, name, 1)
	var large *gitext.TooLargeError
	switch {
	case err == nil || errors.As(err, &large):
		return true, nil
	case errors.Is(err, gitext.ErrNotExist):
		return false, nil
	}
	return false, err
}

// asShown returns a line of a file in the form of answers.
func (b *Box) asShown(line string) string {
	return b.opt.Mask.Text(agent.CleanLine(strings.TrimSuffix(line, "\r")))
}
