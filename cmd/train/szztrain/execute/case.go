package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// A miner finds the cases of one repository.
type miner struct {
	root, name, cache string
	bounds            bounds
	journal           io.Writer
	tried             map[gitext.OID]bool
	cases             int // in the journal
	repo              *gitext.Repo
	space             *trial.Workspace
}

// note records an attempt of an earlier run.
func (m *miner) note(a attempt) {
	m.tried[a.Fix] = true
	if a.Case != nil {
		m.cases++
	}
}

// run tries the fixes of the repository.
func (m *miner) run(ctx context.Context) error {
	var err error
	if m.repo, err = material.Open(ctx, m.root, m.name); err != nil {
		return err
	}
	defer m.repo.Close()
	fixes, err := m.fixes(ctx)
	if err != nil {
		return err
	}
	if m.space, err = m.open(ctx); err != nil {
		return err
	}
	defer m.space.Close()
	return m.tryAll(ctx, fixes[:min(len(fixes), m.bounds.fixes)])
}

// fixes lists the fixes to try.
func (m *miner) fixes(ctx context.Context) ([]candidateFix, error) {
	switch {
	case m.bounds.named != nil:
		return m.namedFixes(ctx)
	case m.bounds.only != "":
		return m.onlyFixes(ctx)
	}
	return fixesWithTests(ctx, m.repo, m.bounds.since)
}

// tryAll tries fixes until the repository seems exhausted.
func (m *miner) tryAll(ctx context.Context, fixes []candidateFix) error {
	start, row := time.Now(), 0
	for _, f := range fixes {
		if m.cases >= m.bounds.cases || m.bounds.dry > 0 && row >= m.bounds.dry || m.bounds.perRepo > 0 && time.Since(start) > m.bounds.perRepo {
			break
		}
		if m.tried[f.commit.OID] {
			continue
		}
		a, err := m.try(ctx, f)
		if err != nil {
			return err
		}
		if row += min(a.Runs, 1); a.Case != nil {
			row = 0
		}
		m.note(a)
		if err := json.NewEncoder(m.journal).Encode(a); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s %s: %d runs, %.0f s: %s\n", m.name, a.Fix.Short(), a.Runs, a.Took, a.outcome())
	}
	return nil
}

func (a attempt) outcome() string {
	if a.Case == nil {
		return a.Why
	}
	return a.Case.Proof.Kind + ", " + a.Case.BICs[0].Short()
}

// open makes the workspace of the repository, and installs the dependencies of its tests.
func (m *miner) open(ctx context.Context) (*trial.Workspace, error) {
	opt := trial.Options{Timeout: m.bounds.perRun, Env: []string{"GOPROXY", "GOMODCACHE", "GOPATH", "CLASSPATH", "JDK_JAVAC_OPTIONS", "NODE_PATH"}}
	if m.cache != "" {
		opt.Compiled = filepath.Join(m.cache, "go")
	}
	if m.bounds.setup != "" {
		if err := m.install(ctx, &opt); err != nil {
			return nil, err
		}
	}
	space, err := trial.Open(ctx, m.repo, opt)
	if err != nil {
		return nil, err
	}
	if err := m.compileStd(ctx, space); err != nil {
		space.Close()
		return nil, err
	}
	return space, nil
}

// compileStd compiles Go's standard library for a repository in Go, unless it was already
// compiled for another one.
func (m *miner) compileStd(ctx context.Context, space *trial.Workspace) error {
	head, err := m.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	if entries, err := m.repo.Tree(ctx, head, "go.mod"); err != nil || len(entries) == 0 {
		return err
	}
	return space.Compile(ctx, goRun+"build std")
}

// install runs the setup command at HEAD.
func (m *miner) install(ctx context.Context, opt *trial.Options) error {
	head, err := m.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	setup, err := trial.NewSetup(ctx, m.repo, trial.SetupSpec{Command: m.bounds.setup, Folder: filepath.Join(m.cache, "setup"), Commit: head}, *opt)
	if err != nil {
		if failed := (*trial.SetupError)(nil); errors.As(err, &failed) {
			fmt.Fprintf(os.Stderr, "%.2000s\n", failed.Output)
		}
		return err
	}
	setup.Use(opt)
	return nil
}

// noCase is the reason why a fix gives no case.
type noCase struct{ why string }

func (e *noCase) Error() string { return e.why }

func none(format string, args ...any) error { return &noCase{fmt.Sprintf(format, args...)} }

// try runs the test of a fix through history, within the bounds.
func (m *miner) try(ctx context.Context, f candidateFix) (attempt, error) {
	start := time.Now()
	within, cancel := context.WithTimeout(ctx, m.bounds.perCase)
	defer cancel()
	t := &trialOfFix{miner: m, candidateFix: f}
	c, err := t.find(within)
	a := attempt{Repo: m.name, Fix: f.commit.OID, Runs: t.runs, Took: time.Since(start).Seconds(), Case: c}
	switch e := (*noCase)(nil); {
	case errors.As(err, &e):
		a.Why = e.why
	case ctx.Err() != nil:
		return a, ctx.Err()
	case within.Err() != nil:
		a.Why = "time is up"
	case err != nil:
		a.Why = err.Error()
	}
	return a, nil
}

// A trialOfFix is a fix whose test is run through history.
type trialOfFix struct {
	*miner
	candidateFix
	suite   suite
	runs    int
	tests   []string        // the names of the tests that show the bug
	telling map[string]bool // lines that the tests print only if the bug is there
	known   map[gitext.OID]trial.Outcome
	skipped int
	decided bool // another suite would give the same result
}

// find returns the case of a fix. The error is a *noCase if there is none.
func (t *trialOfFix) find(ctx context.Context) (*executedCase, error) {
	var err error
	if t.suite, err = suiteOf(ctx, t.miner, t.candidateFix); err != nil {
		return nil, err
	}
	return t.search(ctx)
}

// search runs the tests of the suite through history.
func (t *trialOfFix) search(ctx context.Context) (*executedCase, error) {
	if err := t.baseline(ctx); err != nil {
		return nil, err
	}
	if t.named.Fix != "" {
		return t.check(ctx)
	}
	b := &bisection{Repo: t.repo, Bad: t.commit.Parents[0], Run: t.judged}
	if err := t.leap(ctx, b); err != nil {
		return nil, err
	}
	if len(b.Goods) == 0 {
		if err := t.oldest(ctx, b); err != nil {
			return nil, err
		}
	}
	if len(b.Goods) == 0 {
		if t.bounds.regressions {
			return nil, none("it seems to have been there always")
		}
		return t.neverWorked(ctx, b.Bad)
	}
	left, err := b.halve(ctx)
	if err != nil {
		return nil, err
	}
	if left > 1 {
		return nil, none("%d commits cannot be told apart", left)
	}
	return t.regression(ctx, b.Bad)
}

// leap goes 64, 512 and so on commits back until the tests pass or cannot be run, or the
// history ends.
func (t *trialOfFix) leap(ctx context.Context, b *bisection) error {
	const first, wider = 64, 8
	all, err := t.repo.CountCommits(ctx, b.Bad, nil)
	if err != nil {
		return err
	}
	from, outcome := b.Bad, trial.Fails
	for step := first; outcome == trial.Fails && all > 1; step *= wider {
		back := min(step, all-1) // the last one is a root
		commit, err := t.repo.AncestorAt(ctx, from, back)
		if err != nil {
			return err
		}
		if outcome, err = b.try(ctx, commit); err != nil {
			return err
		}
		if back == all-1 {
			return nil
		}
	}
	return nil
}

// baseline finds the tests that pass at the fix and fail at its parent. It runs only the tests
// changed by the fix, or all tests of their files if the former cannot be run alone.
func (t *trialOfFix) baseline(ctx context.Context) error {
	whole := t.suite
	if names := t.suite.changedTests(ctx); len(names) > 0 && t.suite.narrow(names) {
		err := t.difference(ctx)
		if err == nil || t.decided || !errors.As(err, new(*noCase)) {
			return err
		}
		t.suite = whole
	}
	if err := t.difference(ctx); err != nil {
		return err
	}
	whole, tests, telling := t.suite, t.tests, t.telling
	if !t.suite.narrow(t.tests) {
		t.suite = whole
		return nil
	}
	err := t.difference(ctx)
	if errors.As(err, new(*noCase)) { // the tests may need the omitted parts
		t.suite, t.tests, t.telling = whole, tests, telling
		return nil
	}
	return err
}

// difference runs the suite before and at the fix.
func (t *trialOfFix) difference(ctx context.Context) error {
	before, err := t.at(ctx, t.commit.Parents[0])
	if err != nil {
		return err
	}
	t.decided = before.State == fix.Passing
	if before.State != fix.Failing {
		return none("before the fix it %s", before.How)
	}
	fixed, err := t.at(ctx, t.commit.OID)
	if err != nil {
		return err
	}
	if fixed.State == fix.Broken || len(fixed.Report.Passing) == 0 && fixed.State != fix.Passing {
		return none("at the fix it %s", fixed.How)
	}
	t.tests = nil
	for _, name := range before.Report.Failing {
		if !slices.Contains(fixed.Report.Failing, name) && (fixed.State == fix.Passing || slices.Contains(fixed.Report.Passing, name)) {
			t.tests = append(t.tests, name)
		}
	}
	if len(t.tests) == 0 {
		return none("no named test fails before the fix and passes at it")
	}
	t.tests = innermost(t.tests)
	t.telling = t.suite.telling(before.Output)
	for line := range t.suite.telling(fixed.Output) {
		delete(t.telling, line)
	}
	t.known = map[gitext.OID]trial.Outcome{t.commit.Parents[0]: trial.Fails}
	if line := t.asksForMore(); line != "" {
		t.decided = true
		return none("before the fix the tests lack what they call: %s", line)
	}
	return nil
}

// confirm runs the tests once more at and before the fix.
func (t *trialOfFix) confirm(ctx context.Context) error {
	if err := t.repeat(ctx, 1, t.commit.OID, trial.Passes); err != nil {
		return err
	}
	return t.repeat(ctx, 1, t.commit.Parents[0], trial.Fails)
}

// repeat runs the tests n times and returns an error unless the outcome is always want.
func (t *trialOfFix) repeat(ctx context.Context, n int, commit gitext.OID, want trial.Outcome) error {
	for range n {
		e, err := t.at(ctx, commit)
		if err != nil {
			return err
		}
		if t.outcome(e) != want {
			return none("at %s it %s, and not each time", commit.Short(), e.How)
		}
	}
	return nil
}

// again runs the tests once more at a commit of the bisection, or twice at any other commit.
func (t *trialOfFix) again(ctx context.Context, commit gitext.OID, want trial.Outcome) error {
	n := 2
	if known, ok := t.known[commit]; ok && known == want && commit != t.commit.Parents[0] {
		n = 1
	} else if commit == t.commit.Parents[0] {
		n = 0 // the baseline is one run, and confirm another
	}
	return t.repeat(ctx, n, commit, want)
}

// at runs the tests at a commit.
func (t *trialOfFix) at(ctx context.Context, commit gitext.OID) (testrun.Ending, error) {
	if t.runs >= t.bounds.runs {
		return testrun.Ending{}, none("%d runs were not enough", t.runs)
	}
	t.runs++
	over, err := t.suite.over(ctx, commit)
	if err != nil {
		return testrun.Ending{}, err
	}
	if err := t.space.Prepare(ctx, commit, over); err != nil {
		if ctx.Err() != nil {
			return testrun.Ending{}, ctx.Err()
		}
		return testrun.Ending{State: fix.Broken, How: fmt.Sprintf("cannot be checked out: %v", err)}, nil
	}
	return testrun.Run(ctx, t.space, testrun.Commands{Build: t.suite.build, Test: t.suite.command})
}

// judged runs the tests at a commit for a bisection, once for each commit.
func (t *trialOfFix) judged(ctx context.Context, commit gitext.OID) (trial.Result, error) {
	if known, ok := t.known[commit]; ok {
		return trial.Result{Outcome: known}, nil
	}
	e, err := t.at(ctx, commit)
	if err != nil {
		return trial.Result{}, err
	}
	out := t.outcome(e)
	t.known[commit] = out
	if out == trial.Unknown {
		t.skipped++
	}
	return trial.Result{Outcome: out}, nil
}

// outcome judges a run by the tests that show the bug: it fails if all of them fail in the same
// way as before the fix, and passes if none fails.
func (t *trialOfFix) outcome(e testrun.Ending) trial.Outcome {
	failing := 0
	for _, name := range t.tests {
		if slices.Contains(e.Report.Failing, name) {
			failing++
		}
	}
	switch {
	case e.State == fix.Broken:
		return trial.Unknown
	case failing == len(t.tests) && t.recurs(e):
		return trial.Fails
	case failing == 0 && (e.State == fix.Passing || containsAll(e.Report.Passing, t.tests)):
		return trial.Passes
	}
	return trial.Unknown
}

// recurs reports whether the output has at least half of the telling lines.
func (t *trialOfFix) recurs(e testrun.Ending) bool {
	again, now := 0, t.suite.telling(e.Output)
	for line := range t.telling {
		if now[line] {
			again++
		}
	}
	return 2*again >= len(t.telling)
}

func containsAll(list, wanted []string) bool {
	return !slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(list, name) })
}
