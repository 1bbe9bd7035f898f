package trial

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"git-agent/agent/sandbox"
)

// A command must not read caches that a command under test has written. So each workspace has
// its own caches, and Fresh empties them. A compiler would then build the standard library each
// time. Therefore Options.Compiled keeps the output of compilers that ran no code of the
// repository, and each workspace shows it.

// goCache is the directory with Go's build cache among the caches of a workspace.
const goCache = "go-build"

// openCompiled opens the build cache of the options, if they name one.
func (w *Workspace) openCompiled() (err error) {
	if w.opt.Compiled == "" {
		return nil
	}
	if w.compiled, err = sandbox.OpenBuildCache(w.opt.Compiled); err != nil {
		return err
	}
	w.readable = append(w.readable, w.compiled.Content())
	w.crates, err = sandbox.OpenBuildCache(filepath.Join(w.opt.Compiled, "crates"))
	return err
}

// emptyCache returns the caches of the workspace to their state after Open.
func (w *Workspace) emptyCache() error {
	if err := os.MkdirAll(w.cache, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(w.cache)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == goCache && w.compiled != nil {
			continue
		}
		if err := sandbox.RemoveAll(filepath.Join(w.cache, e.Name())); err != nil {
			return err
		}
	}
	if w.compiled == nil {
		return nil
	}
	if w.opt.Crates != "" {
		if err := w.crates.Take(w.opt.Crates, filepath.Join(w.cache, crateOutput)); err != nil {
			return err
		}
	}
	return w.compiled.Show(filepath.Join(w.cache, goCache))
}

// Compile lets a command fill Options.Compiled. The command must only run the Go command, which
// compiles the work tree, and no code of the work tree: all later commands read its output. The
// caches of the workspace are emptied. A failing command is no error. Without Options.Compiled,
// Compile does nothing.
func (w *Workspace) Compile(ctx context.Context, command string) error {
	if w.compiled == nil {
		return nil
	}
	content := w.compiled.Content()
	if err := os.MkdirAll(content, 0o700); err != nil {
		return err
	}
	if _, err := w.Exec(ctx, command, ExecOptions{Set: []string{"GOCACHE=" + content}, Writable: []string{content}}); err != nil {
		return err
	}
	return w.emptyCache()
}

// Fresh returns the workspace to its state after Open: the work tree has only the files of the
// last Prepare, and the caches have only the content of Options.Compiled.
func (w *Workspace) Fresh(ctx context.Context) error {
	if err := w.clean(ctx); err != nil {
		return err
	}
	return w.emptyCache()
}

// compiledVariables returns the variables that lead Go to the workspace's cache at level none, and
// Cargo to its crates. If somebody removed Options.Compiled, the links to it are broken, and the cache is made anew.
func (w *Workspace) compiledVariables() ([]string, error) {
	if w.compiled == nil {
		return nil, nil
	}
	if _, err := os.Stat(w.compiled.Content()); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(w.compiled.Content(), 0o700); err != nil {
			return nil, err
		}
		if err := w.emptyCache(); err != nil {
			return nil, err
		}
	}
	set := []string{"GOCACHE=" + filepath.Join(w.cache, goCache)}
	if w.opt.Crates != "" {
		set = append(set, "CARGO_TARGET_DIR="+filepath.Join(w.cache, crateOutput))
	}
	return set, nil
}
