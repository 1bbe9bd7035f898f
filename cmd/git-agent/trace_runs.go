package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/datadir"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
	"git-agent/gitext/openfile"
)

// recordedRun is a recorded run whose steps can be read.
type recordedRun struct {
	run       cache.Run
	steps     iter.Seq2[cache.Step, error]
	traces    *cache.Traces // nil if the run was read from a file of steps
	otherRepo string        // the repository that it belongs to; "" if that is this one or none
}

// isEvaluation reports whether the run is an evaluation, whose steps are
// predictions and not a conversation.
func (r recordedRun) isEvaluation() bool { return strings.HasPrefix(r.run.Kind, "eval/") }

// read reads the run and warns about damaged steps.
func (r recordedRun) read(a *app) (*trace.Trajectory, error) {
	t, err := trace.Read(r.run, r.steps)
	if err != nil {
		return nil, datadir.Hinted(err)
	}
	for _, d := range t.Damaged {
		fmt.Fprintf(a.stderr, "warning: run %s: %s\n", r.run.ID, layout.Printable(d))
	}
	return t, nil
}

// runStore is an open file of recorded runs.
type runStore struct {
	*cache.Traces
	otherRepo string // the repository that it belongs to; "" if that is this one or none
}

// runStores holds the open files of recorded runs: that of the repository, and
// that of runs which belong to no repository. openOthers adds those of other
// repositories.
type runStores struct {
	app    *app
	repo   *gitext.Repo // nil outside of a repository
	stores []runStore
	all    bool // openOthers has been called
}

// openRuns opens the files of recorded runs that exist. It creates none.
func (a *app) openRuns(ctx context.Context) (*runStores, error) {
	repo, err := a.open(ctx, gitext.OpenOptions{})
	if err != nil && !errors.Is(err, gitext.ErrNotRepository) {
		return nil, err
	}
	s := &runStores{app: a, repo: repo}
	for _, f := range a.data.RunFolders(ctx, repo) {
		if err := s.open(ctx, f, ""); err != nil {
			return nil, errors.Join(err, s.close())
		}
	}
	return s, nil
}

func (s *runStores) open(ctx context.Context, f place.Folder, of string) error {
	if !cache.HasTraces(f.Path) {
		return nil
	}
	traces, err := cache.OpenTraces(ctx, f.Path, s.app.data.TraceOptions())
	if err != nil {
		return datadir.Hinted(err)
	}
	s.stores = append(s.stores, runStore{traces, of})
	return nil
}

// openOthers opens the files of all other repositories. It warns about files that
// cannot be opened and goes on.
func (s *runStores) openOthers(ctx context.Context) {
	if s.all {
		return
	}
	s.all = true
	for _, f := range s.app.data.OtherFolders(ctx, s.repo) {
		if err := s.open(ctx, f, f.Repository); err != nil {
			s.app.warnOnce(err.Error())
		}
	}
}

func (s *runStores) close() error {
	var err error
	for _, t := range s.stores {
		err = errors.Join(err, t.Close())
	}
	return err
}

// list returns the runs of all open files, newest first.
func (s *runStores) list(ctx context.Context, opt cache.ListOptions) ([]recordedRun, error) {
	var all []recordedRun
	for _, t := range s.stores {
		runs, err := t.List(ctx, opt)
		if err != nil {
			return nil, datadir.Hinted(err)
		}
		for _, r := range runs {
			all = append(all, recordedRun{r, t.Steps(ctx, r.ID), t.Traces, t.otherRepo})
		}
	}
	slices.SortStableFunc(all, func(a, b recordedRun) int { return b.run.Started.Compare(a.run.Started) })
	return all, nil
}

// listResumable returns the runs of all open files that can be replayed, and resumed if
// they were interrupted, newest first.
func (s *runStores) listResumable(ctx context.Context) ([]recordedRun, error) {
	all, err := s.list(ctx, cache.ListOptions{})
	return slices.DeleteFunc(all, func(r recordedRun) bool { _, ok := verbOf(r.run.Kind); return !ok }), err
}

// find returns the run whose id contains name, or the run in the file of that
// name, or the last conversation if name is "". It looks at other repositories
// only if this one has no such run.
func (s *runStores) find(ctx context.Context, name string) (recordedRun, error) {
	if name == "" {
		return s.last(ctx)
	}
	if strings.ContainsAny(name, "/.") {
		return readRunFile(ctx, name)
	}
	r, err := s.lookup(ctx, name, s.stores)
	if errors.Is(err, cache.ErrNoRun) && !s.all {
		known := len(s.stores)
		s.openOthers(ctx)
		r, err = s.lookup(ctx, name, s.stores[known:])
	}
	return r, err
}

func (s *runStores) lookup(ctx context.Context, name string, stores []runStore) (recordedRun, error) {
	for _, t := range stores {
		run, err := t.Lookup(ctx, name)
		if err == nil {
			return recordedRun{run, t.Steps(ctx, run.ID), t.Traces, t.otherRepo}, nil
		}
		if !errors.Is(err, cache.ErrNoRun) {
			return recordedRun{}, datadir.Hinted(err)
		}
	}
	return recordedRun{}, withHint(fmt.Errorf("%w: %q", cache.ErrNoRun, name), "git agent trace list --all")
}

// recordHint says how to record a run.
const recordHint = "git agent szz --engine=agent <fix> or git agent crash --engine=agent <report> records one"

func (s *runStores) last(ctx context.Context) (recordedRun, error) {
	all, err := s.list(ctx, cache.ListOptions{})
	if err != nil {
		return recordedRun{}, err
	}
	for _, r := range all {
		if !r.isEvaluation() {
			return r, nil
		}
	}
	return recordedRun{}, errNoConversation()
}

func errNoConversation() error {
	return withHint(errors.New("no conversation is recorded here"), recordHint)
}

// maxRunFile limits the size of a file of steps.
const maxRunFile = 1 << 30

// readRunFile reads a file that `git agent trace export --format=steps` wrote.
func readRunFile(ctx context.Context, name string) (recordedRun, error) {
	f, err := openfile.Named(ctx, name, os.O_RDONLY, 0)
	if err != nil {
		return recordedRun{}, err
	}
	defer f.Close() // nothing was written
	run, steps, err := trace.ReadSteps(io.LimitReader(f, maxRunFile))
	if err != nil {
		return recordedRun{}, withHint(fmt.Errorf("%q: %w", name, err), "git agent trace export --format=steps <run> writes such a file")
	}
	return recordedRun{run, trace.Sequence(steps), nil, ""}, nil
}

// each calls f for each of the named runs, or for the last conversation if none
// is named.
func (s *runStores) each(ctx context.Context, a *app, names []string, f func(*trace.Trajectory) error) error {
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		r, err := s.find(ctx, name)
		if err != nil {
			return err
		}
		t, err := r.read(a)
		if err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
	}
	return nil
}

// eachOfFix is like each, and also passes the subject of the fix to f.
func (s *runStores) eachOfFix(ctx context.Context, a *app, names []string, f func(t *trace.Trajectory, subject string) error) error {
	return s.each(ctx, a, names, func(t *trace.Trajectory) error {
		subject, err := s.fixSubject(ctx, t)
		if err != nil {
			return err
		}
		return f(t, subject)
	})
}

// readNamed reads the named runs, or the last conversation if none is named.
func (s *runStores) readNamed(ctx context.Context, a *app, names []string) ([]*trace.Trajectory, error) {
	var runs []*trace.Trajectory
	err := s.each(ctx, a, names, func(t *trace.Trajectory) error { runs = append(runs, t); return nil })
	return runs, err
}

// readConversations reads all runs that opt selects, newest first. It leaves out
// evaluations, whose steps are predictions and not a conversation.
func (s *runStores) readConversations(ctx context.Context, a *app, opt cache.ListOptions) ([]*trace.Trajectory, error) {
	all, err := s.list(ctx, opt)
	if err != nil {
		return nil, err
	}
	return readRuns(a, slices.DeleteFunc(all, recordedRun.isEvaluation))
}

// readRuns reads runs.
func readRuns(a *app, list []recordedRun) ([]*trace.Trajectory, error) {
	var runs []*trace.Trajectory
	for _, r := range list {
		t, err := r.read(a)
		if err != nil {
			return nil, err
		}
		runs = append(runs, t)
	}
	return runs, nil
}

// fixSubject returns the subject of the fix, or "" if this repository does not
// have the commit. It fails only if it is interrupted.
func (s *runStores) fixSubject(ctx context.Context, t *trace.Trajectory) (string, error) {
	oid := gitext.OID(t.About.Fix)
	if s.repo == nil || oid == "" || t.About.Repo != "" {
		return "", nil
	}
	c, err := s.repo.Commit(ctx, oid)
	if err != nil {
		return "", context.Cause(ctx) // without an interrupt, the commit is in another repository or gone
	}
	return c.Subject(), nil
}
