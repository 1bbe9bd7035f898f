package offline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/generate"
	"git-agent/agent/trial"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// A search tries candidates until enough are plausible or the budget is spent.
type search struct {
	in       *Input
	whole    context.Context // without the time of the budget
	repo     *gitext.Repo
	baseline baseline
	quick    quick             // the failing tests alone
	exported map[string]string // export data files of Go packages, see generate.Input

	mu      sync.Mutex
	spaces  []*trial.Workspace
	pull    func() (generate.Candidate, bool)
	stop    func()
	window  []waiting
	order   order
	tried   []tried
	partial []waiting         // candidates with fewer failing tests
	texts   map[string][]byte // files of the tree; nil if there is none
	since   int               // candidates tried since the first plausible one
	good    int               // plausible candidates, without probes
	started int               // number of started trials
	leads   int               // number of newest changes that are not yet undone
	wide    wideBaseline
	seen    map[string]bool // changes that were put into the window
	culprit Bisected
	dry     bool       // all candidates were made
	undone  bool       // undoing the change of a commit is plausible
	cut     *fix.Trial // the patch that passed the failing test, and could not be proved in time; nil if there is none

	suiteTook  time.Duration // duration of the wider tests with the last candidate; 0 if they were not run
	suiteSlow  bool          // the wider tests take so long that only proofs run them
	unscreened bool          // candidates cannot share builds
	touched    bool          // a candidate was built in a workspace
	java       javaTests     // what Java's candidates share
	rust       rustHost
	misses     int // builds for several candidates that failed
}

// A waiting candidate is made but not yet tried.
type waiting struct {
	generate.Candidate
	boost float64 // boost from the effect of the earlier candidate; 1 if there is none
	alone bool    // the candidate cannot share a build with others
	// direct says that the candidate exactly undoes a change, so that it is proved as soon as
	// it passes the failing test.
	direct bool
	// passed says that the failing test passes with the candidate, and that the order has
	// learned this.
	passed bool
}

// A tried candidate has a result. Its files are kept only if it is plausible, because there are
// thousands of candidates.
type tried struct {
	probe bool
	trial fix.Trial
}

const (
	// windowSize is the number of waiting candidates from which the search chooses the next
	// one.
	windowSize = 300
	// manyPassed is the number of candidates that must pass the failing test before the wider
	// tests are screened, and quickSuite the bound on the duration of wider tests for
	// screening.
	manyPassed = 4
	quickSuite = 5 * time.Second
)

// begin opens the first workspace, and measures the failing test in it.
func (s *search) begin(ctx context.Context) (w *trial.Workspace, err error) {
	if w = s.in.Space; w == nil {
		if w, err = s.open(ctx); err != nil {
			return nil, err
		}
	}
	if len(s.in.Runs) > 0 {
		s.baseline = ranBefore(s.in.Runs, s.in.Problem.Known)
		return w, s.narrow(ctx, w)
	}
	if s.baseline, err = s.measure(ctx, w); err != nil {
		return w, err
	}
	return w, s.narrow(ctx, w)
}

// ahead begins to make candidates while the newest changes are undone, unless that needs the workspace. It returns a
// channel that is closed when the first ones are made.
func (s *search) ahead(ctx context.Context) <-chan struct{} {
	made := make(chan struct{})
	if s.in.Jobs == 1 || s.needsExports() {
		close(made)
		return made
	}
	next, stop := iter.Pull(generate.Candidates(ctx, s.repo, s.generate()))
	var first []generate.Candidate
	s.stop = stop
	s.pull = func() (c generate.Candidate, ok bool) {
		if len(first) == 0 {
			return next()
		}
		c, first = first[0], first[1:]
		return c, true
	}
	go func() {
		defer close(made)
		for len(first) < windowSize {
			c, ok := next()
			if !ok {
				return
			}
			first = append(first, c)
		}
	}()
	return made
}

// generates starts the generation of candidates, if it has not begun.
func (s *search) generates(ctx context.Context, w *trial.Workspace) (err error) {
	if s.pull != nil {
		return nil
	}
	if s.exported, err = s.exports(ctx, w); err != nil {
		return err
	}
	s.pull, s.stop = iter.Pull(generate.Candidates(ctx, s.repo, s.generate()))
	return nil
}

// generate returns the input of package generate.
func (s *search) generate() generate.Input {
	return generate.Input{
		Problem: s.in.Problem, Localization: s.in.Localization, History: s.in.History,
		Output: s.baseline.output, RevertOnly: s.in.RevertOnly, Exports: s.exported,
	}
}

// open opens a workspace; close closes it.
func (s *search) open(ctx context.Context) (*trial.Workspace, error) {
	w, err := trial.Open(ctx, s.repo, s.in.Trial)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spaces = append(s.spaces, w)
	return w, nil
}

func (s *search) close() {
	if s.stop != nil {
		s.stop()
	}
	for _, w := range s.spaces {
		w.Close()
	}
}

// run tries candidates in the workspaces until the search is over.
func (s *search) run(ctx context.Context) error {
	first, err := s.begin(ctx)
	if err != nil {
		return err
	}
	newest, err := s.newest(ctx)
	if err != nil {
		return err
	}
	making, cancel := context.WithCancel(ctx)
	defer cancel()
	made := s.ahead(making)
	err = s.ending(ctx, first, s.lead(ctx, first, newest))
	if err != nil || s.over() {
		cancel()
		<-made
		return err
	}
	<-made
	if err := s.generates(making, first); err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	looking, enough := context.WithCancelCause(ctx) // context of the bisection
	defer enough(nil)
	for i := range s.in.Jobs {
		g.Go(func() error {
			w := first
			if i > 0 {
				var err error
				if w, err = s.open(ctx); err != nil {
					return err
				}
			}
			if i == s.in.Jobs-1 {
				if err := s.bisect(looking); err != nil && context.Cause(looking) != errEnough {
					return err
				}
			}
			err := s.work(ctx, w)
			if s.over() {
				enough(errEnough)
			}
			return err
		})
	}
	return g.Wait()
}

// errEnough is the cause of the end of a bisection that is no longer useful.
var errEnough = errors.New("the search is over")

// over reports whether the search has found or tried enough.
func (s *search) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended()
}

// ended is over for a caller that holds the lock.
func (s *search) ended() bool {
	return s.started >= s.in.Budget.Tries || s.good >= s.in.Budget.Want || s.good > 0 && (s.undone || s.since >= patience)
}

// work tries candidates in a workspace until the search is over.
func (s *search) work(ctx context.Context, w *trial.Workspace) error {
	for {
		batch := s.next()
		if len(batch) == 0 {
			return nil
		}
		err := s.tryAll(ctx, w, batch)
		if err != nil && context.Cause(ctx) == errBudget {
			s.lost(batch...)
		}
		if err = s.ending(ctx, w, err); err != nil {
			return err
		}
	}
}

// ending returns the error of a trial, or why its time is up. Where the time of the search is, it first tries the best candidate that
// passed the failing test.
func (s *search) ending(ctx context.Context, w *trial.Workspace, err error) error {
	switch {
	case err == nil || ctx.Err() == nil:
		return err
	case context.Cause(ctx) == errBudget:
		return cmp.Or(s.finish(w), errBudget)
	}
	return context.Cause(ctx)
}

// finish tries the best candidate that passed the failing test in time and was not tried
// as a patch.
func (s *search) finish(w *trial.Workspace) error {
	s.mu.Lock()
	c, ok := s.best(func(c *waiting) bool { return c.passed })
	done := s.good > 0
	s.mu.Unlock()
	if !ok || done {
		return nil
	}
	return s.tryAll(s.whole, w, []waiting{c})
}

// tryAll tries one candidate as a patch, or several with one build.
func (s *search) tryAll(ctx context.Context, w *trial.Workspace, batch []waiting) error {
	if len(batch) > 1 {
		return (&screen{search: s, w: w}).run(ctx, batch)
	}
	t, seen, err := s.try(ctx, w, batch[0])
	if err == nil {
		s.learn(batch[0], t, seen)
	} else if seen == passing && context.Cause(s.whole) == errProof {
		s.cutOff(ctx, w, t)
	}
	return err
}

// cutOff keeps the patch whose proof the end of the time cut off.
func (s *search) cutOff(ctx context.Context, w *trial.Workspace, t fix.Trial) {
	diff, err := w.Diff(context.WithoutCancel(ctx), s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over, t.Patch.Files)
	if err != nil {
		return
	}
	t.Verdict, t.Patch.Diff = fix.Unproved, diff
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = &t
}

// bisect looks for the commit that introduced the bug, and puts the candidates that undo it
// first. Without a known good commit, it tries only a few commits.
func (s *search) bisect(ctx context.Context) error {
	in := BisectInput{Problem: s.in.Problem, Reproduction: s.in.Reproduction, Good: s.in.Good, Trial: s.in.Trial, OnEvent: s.forward}
	if s.in.Localization != nil {
		in.Spectrum = s.in.Localization.Spectrum
	}
	if in.Good == "" {
		if s.in.RevertOnly || s.in.Budget.GallopRuns < 0 {
			return nil
		}
		in.Trial.MaxRuns = cmp.Or(s.in.Budget.GallopRuns, defaultGallop)
	}
	found, err := Bisect(ctx, s.repo, in)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	s.mu.Lock()
	s.culprit = found
	s.mu.Unlock()
	if found.First.OID == "" {
		return nil
	}
	list := generate.Undo(ctx, s.repo, s.generate(), found.First.OID)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range list {
		s.put(c, 1)
	}
	return nil
}

// forward passes an event to OnEvent; calls do not overlap.
func (s *search) forward(e agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.in.OnEvent != nil {
		s.in.OnEvent(e)
	}
}

// next returns the candidate to try, or several that can share a build. It returns none
// if the search is over.
func (s *search) next() []waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return nil
	}
	for len(s.window) < windowSize {
		c, ok := s.pull()
		if !ok {
			s.dry = s.whole.Err() == nil
			break
		}
		s.put(c, 1)
	}
	first, ok := s.best(func(*waiting) bool { return true })
	if !ok {
		return nil
	}
	batch := []waiting{first}
	for s.screened(&first) && len(batch) < screenSize {
		c, ok := s.best(func(c *waiting) bool {
			return c.passed == first.passed && s.shares(c, &first)
		})
		if !ok {
			break
		}
		batch = append(batch, c)
	}
	for i := range batch {
		s.started++
		s.progress(batch[i].Candidate)
	}
	return batch
}

// screened reports whether a candidate should share a build with others. The wider tests may
// take long, so they are screened only if many candidates pass the failing test.
func (s *search) screened(c *waiting) bool {
	if s.unscreened || s.sharing(c) == nil {
		return false
	}
	passed := 0
	for i := range s.window {
		if s.window[i].passed && !s.window[i].Probe {
			passed++
		}
	}
	return !c.passed || passed >= manyPassed && s.suiteTook > 0 && s.suiteTook < quickSuite
}

// best removes the most promising fit candidate from the window and returns it.
func (s *search) best(fit func(*waiting) bool) (waiting, bool) {
	best, value := -1, 0.0
	for i := range s.window {
		if v := s.order.value(&s.window[i]); (best < 0 || v > value) && fit(&s.window[i]) {
			best, value = i, v
		}
	}
	if best < 0 {
		return waiting{}, false
	}
	c := s.window[best]
	s.window = slices.Delete(s.window, best, best+1)
	s.order.begin(&c)
	return c, true
}

// promising returns up to n untried candidates of the window, the most promising first.
func (s *search) promising() []waiting {
	list := slices.Clone(s.window)
	slices.SortStableFunc(list, func(a, b waiting) int { return cmp.Compare(s.order.value(&b), s.order.value(&a)) })
	return list[:min(len(list), maxPairs)]
}

// put adds a candidate to the window if it is new, and reports whether it is new.
func (s *search) put(c generate.Candidate, boost float64) bool {
	key := ""
	for _, f := range c.Files {
		key += f.Path + "\x00" + string(f.Content) + "\x00"
	}
	sum := sha256.Sum256([]byte(key))
	if s.seen[string(sum[:])] {
		return false
	}
	s.seen[string(sum[:])] = true
	s.window = append(s.window, waiting{Candidate: c, boost: boost})
	return true
}

// learn records a result, and makes the further candidates of the candidate.
func (s *search) learn(c waiting, t fix.Trial, seen effect) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.Verdict != fix.Plausible {
		t.Patch = fix.Patch{}
	}
	s.tried = append(s.tried, tried{c.Probe, t})
	if s.good > 0 {
		s.since++
	}
	if t.Verdict == fix.Plausible && !c.Probe {
		s.good++
		s.undone = s.undone || c.direct
	}
	if c.passed {
		s.order.cancel(&c)
		return
	}
	s.note(&c, seen)
}

// note tells the order the effect of a candidate, and makes its further candidates. The caller
// holds the lock.
func (s *search) note(c *waiting, seen effect) {
	s.order.learn(c, seen)
	if seen == fewer {
		s.combine(c)
	}
	if seen == fewer || seen == changed {
		s.twin(c, seen)
	}
	if c.More == nil || seen < changed {
		return
	}
	for _, next := range c.More() {
		s.put(next, seen.boost())
	}
}

// progress reports the work of the search. The caller holds the lock.
func (s *search) progress(c generate.Candidate) {
	if s.in.OnEvent != nil {
		s.in.OnEvent(agent.Progress{Text: fmt.Sprintf("try %d: %s", s.started, describe(c)), Done: s.started, Total: s.in.Budget.Tries})
	}
}

// describe names a candidate for the reader of a progress message.
func describe(c generate.Candidate) string {
	if len(c.Files) == 0 {
		return c.Origin
	}
	return fmt.Sprintf("%s (%s:%d)", c.Origin, c.Files[0].Path, c.Line)
}

// rank orders verdicts by their information.
func rank(v fix.Verdict) int {
	return slices.Index([]fix.Verdict{fix.Plausible, fix.Regresses, fix.Fails, fix.TimesOut, fix.NoBuild, fix.Refused}, v)
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
