package trial

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"git-agent/agent/sandbox"
)

// What a command leaves in its caches must not be read by a command that judges it. So
// each workspace has caches of its own, and Fresh empties them. A compiler would then
// build a standard library each time; what compilers made without running anything of
// the repository is therefore kept in Options.Compiled, and shown to each workspace.

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
	return nil
}

// emptyCache makes the caches of the workspace what they were when it was opened.
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
	return w.compiled.Show(filepath.Join(w.cache, goCache))
}

// Compile lets a command fill Options.Compiled. The command must run the Go command, which
// compiles what is in the work tree, and nothing that comes from it: what it writes is read
// by all later commands. The caches of the workspace are emptied. A command that fails is
// no error, and without Options.Compiled nothing is done.
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

// Fresh makes the workspace what it is after Open: no file in the work tree but those of
// the last Prepare, and no cache but what compilers wrote to Options.Compiled.
func (w *Workspace) Fresh(ctx context.Context) error {
	if err := w.Clean(ctx); err != nil {
		return err
	}
	return w.emptyCache()
}

// compiledVariables returns the variables with which Go finds the cache of the workspace at
// a level that confines nothing. If somebody removed Options.Compiled, what the workspace
// shows of it is gone, too, and the cache is made anew.
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
	return []string{"GOCACHE=" + filepath.Join(w.cache, goCache)}, nil
}
