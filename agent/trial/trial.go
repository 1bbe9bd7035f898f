// Package trial runs a command at commits of a repository and says whether it
// passes there.
//
// A [Workspace] is a scratch work tree. [Workspace.Run] checks a commit out
// there, lays files over it, runs the command in the sandbox and returns a
// [Result]: the command passes, it fails, or it cannot tell. A [Failure] decides
// whether two runs fail in the same way. Nothing is written to the repository.
//
// Limits: submodules are empty directories in the work tree, and files kept in
// Git LFS are their pointers (see [gitext.Repo.Checkout]).
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
)

// Options say what is run and how it is confined.
type Options struct {
	// Command is run by sh in the work tree. As for git bisect run, exit code 0
	// means that it passes, 125 that it cannot tell, and most others that it
	// fails.
	Command string
	Timeout time.Duration // of one run; 0 is ten minutes
	Memory  int64         // bytes that each of its processes may have; 0 is no bound
	MaxRuns int           // most runs in all; 0 is a hundred

	Sandbox  sandbox.Level // "" is auto
	Network  bool          // leave the network on in the sandbox
	Readable []string      // what the command may read there beside the system and toolchains
	Writable []string      // what it may write there beside its scratch work tree
	Env      []string      // names of more variables for the command
	Scratch  string        // where scratch work trees are made; "" is below TMPDIR

	OnEvent func(agent.Event) // may be nil
}

const (
	defaultTimeout = 10 * time.Minute
	defaultMaxRuns = 100
)

// ErrMaxRuns says that Options.MaxRuns are used up.
var ErrMaxRuns = errors.New("no more runs allowed")

// Progress reports what is being done to OnEvent.
func (o *Options) Progress(format string, args ...any) {
	if o.OnEvent != nil {
		o.OnEvent(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// A Workspace is a scratch work tree in which one command is run at one commit
// after the other. Untracked files stay from one run to the next, so that each
// build starts from the one before.
type Workspace struct {
	repo     *gitext.Repo
	opt      Options
	level    sandbox.Level
	readable []string
	scratch  *sandbox.Scratch
	tree     string
	temp     string
	cache    string
	runs     int
}

// Open makes a workspace, which the caller has to close. It fails when no
// sandbox of the level that is asked for works here.
func Open(ctx context.Context, repo *gitext.Repo, opt Options) (*Workspace, error) {
	opt.Timeout = cmp.Or(opt.Timeout, defaultTimeout)
	opt.MaxRuns = cmp.Or(opt.MaxRuns, defaultMaxRuns)
	w := &Workspace{repo: repo, opt: opt}
	isolation, err := sandbox.Probe(ctx, opt.Sandbox)
	if err != nil {
		return nil, err
	}
	w.level = isolation.Level
	if w.scratch, err = sandbox.NewScratch(opt.Scratch); err != nil {
		return nil, err
	}
	var objects string // of the small repository in the work tree
	for name, dir := range map[string]*string{"tree": &w.tree, "tree.objects": &objects, "tmp": &w.temp, "cache": &w.cache} {
		if *dir, err = w.scratch.Dir(name); err != nil {
			w.Close()
			return nil, fmt.Errorf("scratch directory: %w", err)
		}
	}
	w.readable = slices.Clone(opt.Readable)
	for _, dir := range append(repo.ObjectDirs(), objects) {
		// They hold commits, and nothing of the user's configuration.
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			w.readable = append(w.readable, dir, real)
		}
	}
	return w, nil
}

// Close removes the scratch directory. A directory that cannot be removed is
// left to the next workspace, which removes what it finds.
func (w *Workspace) Close() { w.scratch.Close() }

// Runs is how often Run was called, the runs that ended with an error included.
func (w *Workspace) Runs() int { return w.runs }

// Level is the sandbox that confines the command.
func (w *Workspace) Level() sandbox.Level { return w.level }

// Run checks a commit out, lays files over it and runs the command there. A
// commit that cannot be checked out gives a Result of Unknown. An error is for a
// context that ended, for [ErrMaxRuns], and for trouble with the workspace.
func (w *Workspace) Run(ctx context.Context, commit gitext.OID, over []gitext.Overlay) (Result, error) {
	if w.runs >= w.opt.MaxRuns {
		return Result{}, ErrMaxRuns
	}
	w.runs++
	w.opt.Progress("run %d: check out %s", w.runs, commit.Short())
	if err := w.repo.Checkout(ctx, commit, w.tree, over...); err != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{Outcome: Unknown, How: fmt.Sprintf("was not run (%v)", err)}, nil
	}
	if err := w.emptyTemp(); err != nil {
		return Result{}, err
	}
	w.opt.Progress("run %d: the command at %s", w.runs, commit.Short())
	res, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: w.tree, Command: w.opt.Command, Timeout: w.opt.Timeout,
		Env: w.opt.Env, Set: []string{"TMPDIR=" + w.temp, "GIT_AGENT_COMMIT=" + string(commit)},
		Memory: w.opt.Memory, Sandbox: w.level, Network: w.opt.Network,
		Writable: append([]string{w.temp}, w.opt.Writable...), Readable: w.readable, Cache: w.cache,
	})
	if err != nil {
		return Result{}, err
	}
	return w.opt.resultOf(res), nil
}

// emptyTemp removes what the run before left in TMPDIR.
func (w *Workspace) emptyTemp() error {
	if err := os.RemoveAll(w.temp); err != nil {
		return fmt.Errorf("clean the scratch directory: %w", err)
	}
	return os.Mkdir(w.temp, 0o700)
}
