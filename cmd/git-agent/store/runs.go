package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/gitext"
	"git-agent/gitext/disk"
)

// A Run is a recorded run whose steps can be read.
type Run struct {
	cache.Run
	Recorded  iter.Seq2[cache.Step, error] // its steps
	Traces    *cache.Traces                // nil if the run was read from a file of steps
	OtherRepo string                       // the repository of the runs; "" for this one or none
}

// IsEvaluation reports whether the run is an evaluation, whose steps are
// predictions and not a conversation.
func (r Run) IsEvaluation() bool { return strings.HasPrefix(r.Kind, "eval/") }

// runStore is an open file of recorded runs.
type runStore struct {
	*cache.Traces
	otherRepo string // the repository of the runs; "" for this one or none
}

// Stores are the open files of recorded runs: the repository's, and the one for runs without a
// repository. OpenOthers adds those of other repositories.
type Stores struct {
	Repo *gitext.Repo // nil outside of a repository
	Data *Store
	Warn func(text string) // prints a warning about omissions

	stores []runStore
	all    bool // OpenOthers has been called
}

// Open opens the existing files of recorded runs and creates none. After an error, no file is
// open.
func (s *Stores) Open(ctx context.Context) error {
	for _, f := range s.Data.RunFolders(ctx, s.Repo) {
		if err := s.open(ctx, f, ""); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return nil
}

// OpenOwn is Open without the runs that belong to no repository.
func (s *Stores) OpenOwn(ctx context.Context) error {
	k := s.Data.Folders(ctx, s.Repo.CommonDir())
	if k.StateErr != nil {
		return k.StateErr
	}
	for _, f := range s.Data.readable([]place.Folder{k.State}) {
		if err := s.open(ctx, f, ""); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return nil
}

// Add adds an open file, which Close closes, too.
func (s *Stores) Add(t *cache.Traces) { s.stores = append(s.stores, runStore{t, ""}) }

// Read reads a run and warns about damaged steps.
func (s *Stores) Read(r Run) (*trace.Trajectory, error) {
	t, err := trace.Read(r.Run, r.Recorded)
	if err != nil {
		return nil, Hinted(err)
	}
	for _, d := range t.Damaged {
		s.Warn(fmt.Sprintf("run %s: %s", r.ID, d))
	}
	return t, nil
}

func (s *Stores) open(ctx context.Context, f place.Folder, of string) error {
	if !cache.HasTraces(f.Path) {
		return nil
	}
	traces, err := cache.OpenTraces(ctx, f.Path, s.Data.TraceOptions())
	if err != nil {
		return Hinted(err)
	}
	s.stores = append(s.stores, runStore{traces, of})
	return nil
}

// OpenOthers opens the files of all other repositories. It warns about files that it cannot open,
// and continues.
func (s *Stores) OpenOthers(ctx context.Context) {
	if s.all {
		return
	}
	s.all = true
	for _, f := range s.Data.otherFolders(ctx, s.Repo) {
		if err := s.open(ctx, f, f.Repository); err != nil {
			s.Warn(err.Error())
		}
	}
}

// Close closes all files.
func (s *Stores) Close() error {
	var err error
	for _, t := range s.stores {
		err = errors.Join(err, t.Close())
	}
	return err
}

// List returns the runs of all open files, newest first.
func (s *Stores) List(ctx context.Context, opt cache.ListOptions) ([]Run, error) {
	var all []Run
	for _, t := range s.stores {
		runs, err := t.List(ctx, opt)
		if err != nil {
			return nil, Hinted(err)
		}
		for _, r := range runs {
			all = append(all, Run{r, t.Steps(ctx, r.ID), t.Traces, t.otherRepo})
		}
	}
	slices.SortStableFunc(all, func(a, b Run) int { return b.Started.Compare(a.Started) })
	return all, nil
}

// Find returns the run whose id contains name, or the run in the file of that name, or the last
// conversation if name is "". It searches other repositories only if this one has no such run.
func (s *Stores) Find(ctx context.Context, name string) (Run, error) {
	if name == "" {
		return s.last(ctx)
	}
	if strings.ContainsAny(name, "/.") {
		return readRunFile(ctx, name)
	}
	r, err := s.lookup(ctx, name, s.stores)
	if errors.Is(err, cache.ErrNoRun) && !s.all {
		known := len(s.stores)
		s.OpenOthers(ctx)
		r, err = s.lookup(ctx, name, s.stores[known:])
	}
	return r, err
}

func (s *Stores) lookup(ctx context.Context, name string, stores []runStore) (Run, error) {
	for _, t := range stores {
		run, err := t.Lookup(ctx, name)
		if err == nil {
			return Run{run, t.Steps(ctx, run.ID), t.Traces, t.otherRepo}, nil
		}
		if !errors.Is(err, cache.ErrNoRun) {
			return Run{}, Hinted(err)
		}
	}
	return Run{}, session.WithHint(fmt.Errorf("%w: %q", cache.ErrNoRun, name), "git agent trace list --all")
}

// RecordHint has the commands that record a run.
const RecordHint = "git agent szz --engine=agent <fix> or git agent crash --engine=agent <report> records one"

func (s *Stores) last(ctx context.Context) (Run, error) {
	all, err := s.List(ctx, cache.ListOptions{})
	if err != nil {
		return Run{}, err
	}
	for _, r := range all {
		if !r.IsEvaluation() {
			return r, nil
		}
	}
	return Run{}, ErrNoConversation()
}

// ErrNoConversation returns the error for a place where no conversation is recorded.
func ErrNoConversation() error {
	return session.WithHint(errors.New("no conversation is recorded here"), RecordHint)
}

// maxRunFile limits the size of a file of steps.
const maxRunFile = 1 << 30

// readRunFile reads a file written by `git agent trace export --format=steps`.
func readRunFile(ctx context.Context, name string) (Run, error) {
	f, err := disk.Named(ctx, name, os.O_RDONLY, 0)
	if err != nil {
		return Run{}, err
	}
	defer f.Close() // nothing was written
	run, steps, err := trace.ReadSteps(io.LimitReader(f, maxRunFile))
	if err != nil {
		return Run{}, session.WithHint(fmt.Errorf("%q: %w", name, err), "git agent trace export --format=steps <run> writes such a file")
	}
	return Run{run, trace.Sequence(steps), nil, ""}, nil
}

// each calls f for each of the named runs, or for the last conversation if none
// is named.
func (s *Stores) each(ctx context.Context, names []string, f func(*trace.Trajectory) error) error {
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		r, err := s.Find(ctx, name)
		if err != nil {
			return err
		}
		t, err := s.Read(r)
		if err != nil {
			return err
		}
		if err := f(t); err != nil {
			return err
		}
	}
	return nil
}

// EachOfFix is like Each, and also passes the subject of the fix to f.
func (s *Stores) EachOfFix(ctx context.Context, names []string, f func(t *trace.Trajectory, subject string) error) error {
	return s.each(ctx, names, func(t *trace.Trajectory) error {
		subject, err := s.FixSubject(ctx, t)
		if err != nil {
			return err
		}
		return f(t, subject)
	})
}

// ReadNamed reads the named runs, or the last conversation if none is named.
func (s *Stores) ReadNamed(ctx context.Context, names []string) ([]*trace.Trajectory, error) {
	var runs []*trace.Trajectory
	err := s.each(ctx, names, func(t *trace.Trajectory) error { runs = append(runs, t); return nil })
	return runs, err
}

// ReadConversations reads all runs selected by opt, newest first. It leaves out evaluations,
// whose steps are predictions and not a conversation.
func (s *Stores) ReadConversations(ctx context.Context, opt cache.ListOptions) ([]*trace.Trajectory, error) {
	all, err := s.List(ctx, opt)
	if err != nil {
		return nil, err
	}
	return s.ReadAll(slices.DeleteFunc(all, Run.IsEvaluation))
}

// ReadAll reads runs.
func (s *Stores) ReadAll(list []Run) ([]*trace.Trajectory, error) {
	var runs []*trace.Trajectory
	for _, r := range list {
		t, err := s.Read(r)
		if err != nil {
			return nil, err
		}
		runs = append(runs, t)
	}
	return runs, nil
}

// FixSubject returns the subject of the fix, or "" if this repository does not have the commit.
// It fails only after an interrupt.
func (s *Stores) FixSubject(ctx context.Context, t *trace.Trajectory) (string, error) {
	oid := gitext.OID(t.About.Fix)
	if s.Repo == nil || oid == "" || t.About.Repo != "" {
		return "", nil
	}
	c, err := s.Repo.Commit(ctx, oid)
	if err != nil {
		return "", context.Cause(ctx) // without an interrupt, the commit is in another repository or gone
	}
	return c.Subject(), nil
}
