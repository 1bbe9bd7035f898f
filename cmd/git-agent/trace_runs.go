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
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// recordedRun is a run that can be read.
type recordedRun struct {
	run       cache.Run
	steps     iter.Seq2[cache.Step, error]
	traces    *cache.Traces // nil for a run that is read from a file
	otherRepo string        // the other repository that it belongs to; "" for this one, or none
}

// read puts the run together and warns of what is damaged.
func (r recordedRun) read(a *app) (*trace.Trajectory, error) {
	t, err := trace.Read(r.run, r.steps)
	if err != nil {
		return nil, cacheError(err)
	}
	for _, d := range t.Damaged {
		fmt.Fprintf(a.stderr, "warning: run %s: %s\n", r.run.ID, layout.Printable(d))
	}
	return t, nil
}

// runStore is one file that holds runs.
type runStore struct {
	*cache.Traces
	otherRepo string // the other repository that it belongs to
}

// runStores are the files that hold runs: the repository's own, then the one
// of runs that belong to no repository. Those of other repositories are opened
// when they are asked for.
type runStores struct {
	app    *app
	repo   *gitext.Repo // nil outside of one
	stores []runStore
	all    bool // those of other repositories are open
}

// openRuns opens the files that are there, and makes none.
func (a *app) openRuns(ctx context.Context) (*runStores, error) {
	repo, err := a.open(ctx, gitext.OpenOptions{AllowShallow: true})
	if err != nil && !errors.Is(err, gitext.ErrNotRepository) {
		return nil, err
	}
	s := &runStores{app: a, repo: repo}
	for _, f := range a.runFolders(ctx, repo) {
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
	traces, err := cache.OpenTraces(ctx, f.Path, s.app.traceOptions())
	if err != nil {
		return cacheError(err)
	}
	s.stores = append(s.stores, runStore{traces, of})
	return nil
}

// openOthers adds the runs of all other repositories. One that cannot be read
// does not keep the rest from being read.
func (s *runStores) openOthers(ctx context.Context) {
	if s.all {
		return
	}
	s.all = true
	for _, f := range s.app.otherFolders(ctx, s.repo) {
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

// list returns the runs of all files, newest first.
func (s *runStores) list(ctx context.Context, opt cache.ListOptions) ([]recordedRun, error) {
	var all []recordedRun
	for _, t := range s.stores {
		runs, err := t.List(ctx, opt)
		if err != nil {
			return nil, cacheError(err)
		}
		for _, r := range runs {
			all = append(all, recordedRun{r, t.Steps(ctx, r.ID), t.Traces, t.otherRepo})
		}
	}
	slices.SortStableFunc(all, func(a, b recordedRun) int { return b.run.Started.Compare(a.run.Started) })
	return all, nil
}

// find returns the run that name is a part of, or that a file of that name
// holds; "" is the last conversation. A run of another repository is found when
// none of this one has the name.
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
			return recordedRun{}, cacheError(err)
		}
	}
	return recordedRun{}, withHint(fmt.Errorf("%w: %q", cache.ErrNoRun, name), "git agent trace list --all")
}

// recordHint says how to get a conversation to look at.
const recordHint = "git agent szz --engine=agent <fix> records one"

func (s *runStores) last(ctx context.Context) (recordedRun, error) {
	all, err := s.list(ctx, cache.ListOptions{})
	if err != nil {
		return recordedRun{}, err
	}
	for _, r := range all {
		if !strings.HasPrefix(r.run.Kind, "eval/") {
			return r, nil
		}
	}
	return recordedRun{}, errNoConversation()
}

func errNoConversation() error {
	return withHint(errors.New("no conversation is recorded here"), recordHint)
}

// maxRunFile bounds what is read of a run from a file.
const maxRunFile = 1 << 30

// readRunFile reads what `git agent trace export --format=steps` wrote.
func readRunFile(ctx context.Context, name string) (recordedRun, error) {
	f, err := gitext.OpenNamed(ctx, name, os.O_RDONLY, 0)
	if err != nil {
		return recordedRun{}, err
	}
	defer f.Close() // it was only read
	run, steps, err := trace.ReadSteps(io.LimitReader(f, maxRunFile))
	if err != nil {
		return recordedRun{}, withHint(fmt.Errorf("%q: %w", name, err), "git agent trace export --format=steps <run> writes such a file")
	}
	return recordedRun{run, trace.Sequence(steps), nil, ""}, nil
}

// each calls f for each of the named runs, or for the last one.
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

// eachOfFix is each with the first line of the fix's message.
func (s *runStores) eachOfFix(ctx context.Context, a *app, names []string, f func(t *trace.Trajectory, subject string) error) error {
	return s.each(ctx, a, names, func(t *trace.Trajectory) error {
		subject, err := s.fixSubject(ctx, t)
		if err != nil {
			return err
		}
		return f(t, subject)
	})
}

// readNamed reads the named runs, or the last one.
func (s *runStores) readNamed(ctx context.Context, a *app, names []string) ([]*trace.Trajectory, error) {
	var runs []*trace.Trajectory
	err := s.each(ctx, a, names, func(t *trace.Trajectory) error { runs = append(runs, t); return nil })
	return runs, err
}

// readConversations reads every run of the kinds that opt asks for, newest first,
// without evaluations, whose steps are predictions.
func (s *runStores) readConversations(ctx context.Context, a *app, opt cache.ListOptions) ([]*trace.Trajectory, error) {
	all, err := s.list(ctx, opt)
	if err != nil {
		return nil, err
	}
	var runs []*trace.Trajectory
	for _, r := range all {
		if strings.HasPrefix(r.run.Kind, "eval/") {
			continue
		}
		t, err := r.read(a)
		if err != nil {
			return nil, err
		}
		runs = append(runs, t)
	}
	return runs, nil
}

// fixSubject returns the first line of the fix's message, "" when it is not
// here. The error is for an interrupt.
func (s *runStores) fixSubject(ctx context.Context, t *trace.Trajectory) (string, error) {
	oid := gitext.OID(t.About.Fix)
	if s.repo == nil || oid == "" || t.About.Repo != "" {
		return "", nil
	}
	c, err := s.repo.Commit(ctx, oid)
	if err != nil {
		return "", context.Cause(ctx) // another repository's, or gone: the id is enough
	}
	return c.Subject(), nil
}
