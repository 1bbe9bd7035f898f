package bisect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"git-agent/agent"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

const (
	sure          = 0.95 // least probability of a culprit
	flakySure     = 0.99 // likewise of a flaky command; the estimated rates are uncertain
	trust         = 0.9  // share of the prior; the rest is the same for all commits
	flakyProofs   = 2    // least runs of a proof of a flaky command
	tipTries      = 6    // most runs of a flaky command at the tip
	unchanged     = 0.02 // probability that a flaky command has the rate of the tip at the user's good commit, too
	ageOffset     = 8    // commits: the age of a culprit is log-uniform beyond it
	maxCandidates = 10
)

// A search is the state of Find.
type search struct {
	repo *gitext.Repo
	q    Question
	opt  Options

	tip      gitext.OID // the commit that the search begins from: the question's, or an older one that is New
	depth    int        // commits between the question's tip and tip, as git lists them
	old      []gitext.OID
	g        *graph
	belief   *belief
	flaky    bool // the command is flaky: as the user says, or as outcomes contradict each other
	runs     []Run
	tallies  map[gitext.OID]Tally
	count    int // commits of the range
	halvings int
	fresh    int // results of Try in this call
	status   Status
	first    gitext.OID
	notes    []string
}

func newSearch(repo *gitext.Repo, q Question, opt Options) *search {
	opt.Workers, opt.MaxRuns = max(opt.Workers, 1), cmp.Or(opt.MaxRuns, MaxRuns)
	s := &search{repo: repo, q: q, opt: opt, tip: q.Tip, old: slices.Clone(q.Old), flaky: q.Flaky, status: Stopped}
	s.tallies = map[gitext.OID]Tally{}
	return s
}

func (s *search) progress(format string, args ...any) {
	if s.opt.Progress != nil {
		s.opt.Progress(format, args...)
	}
}

func (s *search) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// errSpent ends a search whose runs are used up.
var errSpent = errors.New("no more runs allowed")

func (s *search) run(ctx context.Context) error {
	err := s.look(ctx)
	if errors.Is(err, errSpent) {
		s.note("the search stopped after %s, the most that were allowed", agent.Plural(s.made(), "run"))
		err = nil
	}
	if err != nil || len(s.q.Old) > 0 {
		return err
	}
	return s.measure(ctx)
}

// measure sets the range of a search without a good commit: the commits up to the first one that
// was found to be Old, or all.
func (s *search) measure(ctx context.Context) error {
	var old []gitext.OID
	if i := slices.IndexFunc(s.runs, func(r Run) bool { return r.Outcome == Old }); i >= 0 {
		old = []gitext.OID{s.runs[i].Commit}
	}
	n, err := s.repo.CountCommits(ctx, s.q.Tip, old)
	s.setRange(n)
	return err
}

func (s *search) look(ctx context.Context) error {
	if err := s.checkOrder(ctx); err != nil {
		return err
	}
	reproduced, err := s.tryTip(ctx)
	if err != nil || !reproduced {
		return err
	}
	s.takeKnown()
	if err := s.checkOld(ctx); err != nil {
		return err
	}
	if err := s.narrow(ctx); err != nil {
		return err
	}
	for {
		if err := s.begin(ctx); err != nil {
			return err
		}
		deeper, err := s.decide(ctx)
		if err != nil || !deeper {
			return err
		}
	}
}

// takeKnown takes the runs of an earlier call, but for those at the tip.
func (s *search) takeKnown() {
	for _, r := range s.opt.Known {
		if r.Commit != s.q.Tip {
			r.Earlier = true
			s.tally(r)
		}
	}
}

// tryTip runs the command at the tip and reports whether the outcome is New.
func (s *search) tryTip(ctx context.Context) (bool, error) {
	tries := 1
	if s.flaky {
		tries = tipTries
	}
	for range tries {
		if err := s.try(ctx, s.q.Tip); err != nil {
			return false, err
		}
		if s.runs[len(s.runs)-1].Outcome == New {
			return true, nil
		}
	}
	s.status = Nothing
	return false, nil
}

// checkOrder returns an error for a good commit that is newer than the tip: no commit is between them.
func (s *search) checkOrder(ctx context.Context) error {
	for _, c := range s.old {
		if c == s.tip { // the run there tells
			continue
		}
		newer, err := s.repo.IsAncestor(ctx, s.tip, c)
		if err != nil {
			return err
		}
		if newer {
			return &OldError{Commit: c, Newer: true}
		}
	}
	return nil
}

// checkOld looks at good commits that are not in the history of the tip: the base that they
// share with the tip has to be Old, as git bisect checks. The tip itself is New.
func (s *search) checkOld(ctx context.Context) error {
	for i, c := range s.old {
		if c == s.tip {
			return &OldError{Commit: c}
		}
		inside, err := s.repo.IsAncestor(ctx, c, s.tip)
		if err != nil {
			return err
		}
		if inside {
			continue
		}
		base, err := s.repo.MergeBase(ctx, c, s.tip)
		if err != nil {
			return err
		}
		if base == "" {
			return fmt.Errorf("%s and %s have no history in common", c.Short(), s.tip.Short())
		}
		if s.tallies[base].Old == 0 {
			s.progress("run the command at the merge base %s of %s and the tip", base.Short(), c.Short())
			if err := s.try(ctx, base); err != nil {
				return err
			}
		}
		if t := s.tallies[base]; t.New > 0 && t.Old == 0 && !s.flaky {
			return &OldError{Commit: base, Base: true}
		}
		s.old[i] = base
	}
	return nil
}

// narrow halves a range that is too large to compare its commits.
func (s *search) narrow(ctx context.Context) error {
	if len(s.old) == 0 {
		return nil
	}
	n, err := s.repo.CountCommits(ctx, s.tip, s.old)
	if err != nil {
		return err
	}
	s.setRange(n) // without a good commit of the question, measure sets it
	skip := slices.Clone(s.q.Skip)
	for n > maxWindow {
		step, err := s.repo.Bisect(ctx, s.tip, s.old, skip)
		if err != nil || step.Next == "" {
			return err
		}
		s.progress("%d commits left, halve them", n)
		if err := s.try(ctx, step.Next); err != nil {
			return err
		}
		switch s.runs[len(s.runs)-1].Outcome {
		case New:
			s.tip = step.Next
		case Old:
			s.old = append(s.old, step.Next)
		default:
			skip = append(skip, step.Next)
		}
		if n, err = s.repo.CountCommits(ctx, s.tip, s.old); err != nil {
			return err
		}
	}
	return nil
}

// setRange sets the number of commits that the search begins with.
func (s *search) setRange(n int) { s.count, s.halvings = n, Halvings(n) }

// Halvings returns the number of runs in which a number of commits is halved to one.
func Halvings(commits int) int { return bits.Len(uint(max(commits, 1) - 1)) }

// begin reads the commits that may be the culprit, and believes in them what the prior and the
// runs until now say.
func (s *search) begin(ctx context.Context) error {
	var err error
	if s.g, err = readGraph(ctx, s.repo, s.tip, s.old); err != nil {
		return err
	}
	weights := make([]float64, len(s.g.commits))
	for i := range weights {
		weights[i] = 1
	}
	if s.opt.Prior != nil && len(s.g.commits) > 1 {
		s.progress("read the history of %d commits", len(s.g.commits))
		prior, err := s.opt.Prior(ctx, s.tip, s.g.commits)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			s.note("the history says nothing about the commits: %v", err)
		} else {
			for i, p := range prior {
				weights[i] = trust*p + (1-trust)/float64(len(prior))
			}
		}
	}
	older := 0.0
	switch {
	case len(s.old) == 0:
		if older, err = s.age(ctx, weights); err != nil {
			return err
		}
	case s.tip == s.q.Tip:
		youth(weights)
	}
	s.believeAll(weights, older)
	return nil
}

// believeAll begins a belief with weights of the commits and the probability that the culprit is behind them, and
// takes all runs.
func (s *search) believeAll(weights []float64, older float64) {
	if s.flaky && len(s.q.Old) > 0 {
		older = unchanged
	}
	s.belief = newBelief(s.g, weights, older, s.flaky)
	for _, r := range s.runs {
		s.believe(r)
	}
}

// believe changes the belief by a run.
func (s *search) believe(r Run) {
	if i, ok := s.g.known(r.Commit); ok {
		s.belief.see(i, r.Outcome)
	} else if slices.Contains(s.old, r.Commit) {
		s.belief.seeOld(r.Outcome)
	}
}

// decide runs commits until one is the proved culprit, or until no run tells anything. It
// reports whether the search has to look behind the window.
func (s *search) decide(ctx context.Context) (deeper bool, err error) {
	for {
		if !s.flaky && s.belief.contradicted() {
			s.becomeFlaky()
		}
		e := s.belief.estimate()
		weights := e.weights
		switch behind := weights[s.belief.behind()]; {
		case len(s.q.Old) > 0 && behind >= s.sure():
			return false, &OldError{Commit: s.old[0], Chance: true}
		case len(s.q.Old) == 0 && behind > 0.5 && s.reached() > 0:
			return true, s.deepen(ctx)
		}
		top := s.byWeight(weights)[0]
		s.first = s.g.commits[top]
		missing := s.missing(top)
		if weights[top] >= s.sure() && len(missing) == 0 {
			s.status = s.ended(weights, top)
			return false, nil
		}
		next := s.choose(e, s.opt.Workers)
		if len(missing) > 0 && (weights[top] >= s.sure() || len(next) == 0) {
			if err := s.try(ctx, missing[0]); err != nil {
				return false, err
			}
			if err := s.checkTrusted(missing[0]); err != nil {
				return false, err
			}
			continue
		}
		if again := s.retry(top); len(next) == 0 && again != "" {
			if err := s.tryAgain(ctx, again); err != nil {
				return false, err
			}
			continue
		}
		if len(next) == 0 {
			s.status = s.ended(weights, top)
			return false, nil
		}
		s.progress("%d commits may be it, the most probable one with %.0f %%", s.plausible(weights), 100*weights[top])
		if err := s.tryAll(ctx, next); err != nil {
			return false, err
		}
	}
}

// becomeFlaky goes on after a contradiction: outcomes are wrong at some rate.
func (s *search) becomeFlaky() {
	s.flaky = true
	s.note("outcomes contradict each other, so the command is taken for flaky")
	before := s.belief.prior
	last := len(before) - 1
	s.believeAll(before[:last], before[last])
}

// plausible counts the commits with a probability that matters.
func (s *search) plausible(weights []float64) int {
	n := 0
	for _, w := range weights {
		if w > 0.001 {
			n++
		}
	}
	return n
}

// tryAll runs the command at several commits at the same time. A run whose outcome follows from
// another one is ended.
func (s *search) tryAll(ctx context.Context, picks []gitext.OID) error {
	if len(picks) == 1 || s.spentAfter(len(picks)) {
		return s.try(ctx, picks[0])
	}
	type done struct {
		i   int
		res trial.Result
		err error
	}
	ends := make(chan done)
	cancels := make([]context.CancelFunc, len(picks))
	var group sync.WaitGroup
	for i, c := range picks {
		one, cancel := context.WithCancel(ctx)
		cancels[i] = cancel
		defer cancel()
		group.Go(func() {
			res, err := s.opt.Try(one, i, c)
			ends <- done{i, res, err}
		})
	}
	go func() { group.Wait(); close(ends) }()
	ended := make([]bool, len(picks))
	var failed error
	for d := range ends {
		switch {
		case ended[d.i]: // its outcome was no longer wanted
		case d.err != nil:
			failed = cmp.Or(failed, d.err)
		default:
			run := s.runOf(picks[d.i], d.res)
			failed = cmp.Or(failed, s.add(run))
			if !s.flaky {
				s.endOthers(picks, d.i, run.Outcome, ended, cancels)
			}
		}
	}
	return failed
}

// endOthers ends the runs whose outcome follows from the outcome at picks[i].
func (s *search) endOthers(picks []gitext.OID, i int, outcome Outcome, ended []bool, cancels []context.CancelFunc) {
	at := s.g.index[picks[i]]
	for k, c := range picks {
		x := s.g.index[c]
		follows := outcome == New && s.g.above[x].has(at) || outcome == Old && s.g.above[at].has(x)
		if k != i && follows {
			ended[k] = true
			cancels[k]()
		}
	}
}

func (s *search) spentAfter(n int) bool { return s.made()+n > s.opt.MaxRuns }

// made returns the number of runs of this call.
func (s *search) made() int {
	if s.opt.Besides == nil {
		return s.fresh
	}
	return s.fresh + s.opt.Besides()
}

// try runs the command at a commit.
func (s *search) try(ctx context.Context, c gitext.OID) error {
	if s.spentAfter(1) {
		return errSpent
	}
	res, err := s.opt.Try(ctx, 0, c)
	if err != nil {
		return err
	}
	return s.add(s.runOf(c, res))
}

// tryAgain runs the command at a commit where it failed in another way.
func (s *search) tryAgain(ctx context.Context, c gitext.OID) error {
	if err := s.try(ctx, c); err != nil || s.runs[len(s.runs)-1].Outcome == Unknown {
		return err
	}
	const note = "at times the command fails in another way, so that it ran again where that mattered"
	if !slices.Contains(s.notes, note) {
		s.note(note)
	}
	return nil
}

// runOf returns the run at a commit with a result.
func (s *search) runOf(c gitext.OID, res trial.Result) Run {
	return Run{Commit: c, Outcome: s.outcome(res), How: res.How, Took: res.Took, other: res.Other}
}

// add counts and keeps a run of this call.
func (s *search) add(r Run) error {
	s.tally(r)
	s.fresh++
	if s.opt.OnRun != nil {
		return s.opt.OnRun(r)
	}
	return nil
}

// tally counts a run.
func (s *search) tally(r Run) {
	s.runs = append(s.runs, r)
	t := s.tallies[r.Commit]
	switch r.Outcome {
	case New:
		t.New++
	case Old:
		t.Old++
	default:
		t.Unknown++
	}
	s.tallies[r.Commit] = t
	if s.belief != nil {
		s.believe(r)
	}
}

// outcome translates the result of a command.
func (s *search) outcome(res trial.Result) Outcome { return OutcomeOf(res, s.q.Fixed) }

// OutcomeOf returns the outcome of a run, for a search with Question.Fixed or without.
func OutcomeOf(res trial.Result, fixed bool) Outcome {
	switch {
	case res.Outcome == trial.Unknown:
		return Unknown
	case (res.Outcome == trial.Fails) != fixed:
		return New
	}
	return Old
}

// elsewhere counts the runs at other commits than the tip.
func (s *search) elsewhere() int {
	n := 0
	for _, r := range s.runs {
		if r.Commit != s.q.Tip {
			n++
		}
	}
	return n
}

// unusable reports whether a commit is not run: the user skips it, or its outcome is unknown.
func (s *search) unusable(c gitext.OID) bool {
	t := s.tallies[c]
	return slices.Contains(s.q.Skip, c) || t.Unknown > t.New+t.Old
}
