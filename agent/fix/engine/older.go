package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// An earlier state of the program is compared with that of the problem.
type earlier struct {
	commit gitext.OID
	over   []gitext.Overlay
	said   string // completes "tests that fail ... too"
	// distant says that tests have come since then: only those that passed then fail for a new reason, where any is known.
	distant bool
}

// leaveOutOlder removes the tests that fail in an earlier state, too, from the failing
// ones, if other tests fail only now: these show the bug, and no
// patch of it repairs the older failures, such as those of a tool that is of another version. While
// one of them counted, no patch at all was plausible.
func (s *study) leaveOutOlder(ctx context.Context) error {
	p, rep := &s.problem, &s.answer.Reproduction
	if s.division != nil && p.ByName {
		return s.keepFresh(ctx, *s.division)
	}
	if p.OwnTest != nil || rep.State != fix.Failing || len(rep.Failing) < 2 {
		return nil
	}
	states, err := s.earlier(ctx)
	if err != nil {
		return err
	}
	for _, before := range states {
		part := time.Duration(olderPart)
		if before.distant {
			part *= 2
		}
		if s.clock.whole > 0 && rep.Took > s.clock.left()/part {
			return nil
		}
		d, ok, err := s.divide(ctx, *p, *rep, before)
		if err != nil {
			return err
		}
		if !ok || len(d.fresh) == 0 && !before.distant { // what broke them is committed
			continue
		}
		return s.keepFresh(ctx, d)
	}
	return nil
}

// A division divides failing tests into those that fail in an earlier state, too, and those that do not.
type division struct {
	before       earlier
	then         testlog.Report // of the earlier state
	passes       bool           // the earlier state does
	older, fresh []string
}

// divide runs the test of a problem in an earlier state, and divides its failing tests. ok is false if that state cannot be judged: the clone
// lacks a file of it, or it does not build.
func (s *study) divide(ctx context.Context, p fix.Problem, rep fix.Reproduction, before earlier) (d division, ok bool, err error) {
	e, err := s.runEarlier(ctx, p, before)
	if gitext.Unreadable(err) || err == nil && e.State == fix.Broken {
		return d, false, nil
	}
	if err != nil {
		return d, false, err
	}
	isNew, err := s.newTests(ctx, before, rep.Failing, e.Report)
	if err != nil {
		return d, false, err
	}
	d = division{before: before, then: e.Report, passes: e.State == fix.Passing}
	d.older, d.fresh = before.divide(rep.Failing, e.Report, isNew)
	return d, true, nil
}

// keepFresh removes the older tests of a division from the failing ones, if there are both.
func (s *study) keepFresh(ctx context.Context, d division) error {
	if len(d.older) == 0 || len(d.fresh) == 0 {
		return nil
	}
	s.problem.Known, s.answer.Reproduction.Failing = append(slices.Clone(s.problem.Known), d.older...), d.fresh
	newer := ""
	if slices.ContainsFunc(d.older, func(name string) bool { return !slices.Contains(d.then.Failing, name) }) {
		newer = ", or are newer,"
	}
	s.note("tests that fail %s too%s are left out: %s, such as %s", d.before.said, newer, agent.Plural(len(d.older), "test"), d.older[0])
	return s.narrow(ctx)
}

// runEarlier runs the test in an earlier state.
func (s *study) runEarlier(ctx context.Context, p fix.Problem, before earlier) (testrun.Ending, error) {
	s.say("looking for older failures: running the test %s", strings.TrimSuffix(before.said, ","))
	_, err := s.engine.Fetch.Complete(gitcmd.Uncounted(ctx), func(ctx context.Context) error {
		return s.space.Prepare(ctx, before.commit, before.over)
	})
	if err != nil {
		return testrun.Ending{}, err
	}
	return testrun.Run(ctx, s.space, testrun.Commands{Build: p.Build, Test: p.Test, Set: testrun.Uncached(p.Test)})
}

// narrow puts a command that runs only the failing tests in the place of a guessed one, which becomes that of the wider
// tests. Its output has nothing of other failures, and each candidate takes less time.
func (s *study) narrow(ctx context.Context) error {
	p := s.problem
	focused, ok := testcmd.Focus(p.Test, s.answer.Reproduction.Failing)
	if p.Others == nil || !ok {
		return nil
	}
	p.Suite, p.Test = cmp.Or(p.Suite, p.Test), focused
	return s.useIfSame(ctx, p, 0)
}

// useIfSame runs the test of another problem, and uses it if the same tests fail. limit bounds each run; 0 is no limit of its own.
func (s *study) useIfSame(ctx context.Context, p fix.Problem, limit time.Duration) error {
	failing := s.answer.Reproduction.Failing
	s.say("running the test: %s", p.Test)
	opt := s.clock.reproduction(s.trial.Timeout)
	if limit > 0 {
		opt.Timeout = max(limit, time.Second)
	}
	rep, runs, err := testrun.Runs(ctx, s.space, p, opt)
	missing := func(name string) bool { return !slices.Contains(rep.Failing, name) }
	if err != nil || rep.State != fix.Failing || len(rep.Failing) != len(failing) || slices.ContainsFunc(failing, missing) {
		return err
	}
	if p.Suite == s.problem.Test && len(s.runs) > 0 {
		s.wider = &s.runs[0]
	} else if p.Suite != s.problem.Suite {
		s.wider = nil
	}
	s.use(reproduced{p, rep, runs})
	return nil
}

// divide divides failing tests by the report of the earlier state. Fresh are those that did not fail then. Of a distant state, tests
// that did not exist may fail for the reason of the older ones, so that only those that passed are fresh, if there are any.
func (e earlier) divide(failing []string, then testlog.Report, isNew map[string]bool) (older, fresh []string) {
	var other []string
	for _, name := range failing {
		switch {
		case slices.Contains(then.Failing, name):
			older = append(older, name)
		case slices.Contains(then.Passing, name), isNew != nil && !isNew[name]:
			fresh = append(fresh, name)
		default:
			other = append(other, name)
		}
	}
	if len(fresh) > 0 && e.distant {
		return append(older, other...), fresh
	}
	return older, append(fresh, other...)
}

// earlier returns the state without the new tests: uncommitted ones, or those that the last commits changed, if there is
// no other new change. For a guessed command, which may run more tests than the user has in mind, it returns the state
// without the uncommitted changes, and those of some commits ago, and of a few.
func (s *study) earlier(ctx context.Context) ([]earlier, error) {
	t := s.problem.Tree
	switch {
	case s.onlyTestsAreNew():
		return []earlier{{commit: t.Commit, said: "without the uncommitted changes"}}, nil
	case t.Before != "":
		said := "at " + t.Before.Short() + ", before the last commits, which change only tests,"
		return []earlier{{commit: t.Before, over: t.Over, said: said}}, nil
	case s.problem.Others == nil:
		return nil, nil
	}
	var states []earlier
	if len(t.Over) > 0 {
		states = append(states, earlier{commit: t.Commit, said: "without the uncommitted changes"})
	}
	var commits []gitext.OID
	for entry, err := range s.engine.Repo.Log(ctx, gitext.LogOptions{Tip: t.Commit, Max: someCommits + 1, NoMerges: true}) {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return nil, err
		}
		if entry.OID != t.Commit {
			commits = append(commits, entry.OID)
		}
	}
	if len(commits) < fewCommits {
		return states, nil
	}
	for _, n := range slices.Compact([]int{len(commits), fewCommits}) {
		c := commits[n-1]
		states = append(states, earlier{commit: c, said: fmt.Sprintf("at %s, %d commits ago,", c.Short(), n), distant: true})
	}
	return states, nil
}

// The number of commits after which a failure counts as old, and the fewest that are worth a run.
const (
	someCommits = 30
	fewCommits  = 5
)

// onlyTestsAreNew reports whether there are uncommitted changes, and all are of tests. A change of the program
// may itself be the bug, or the beginning of its repair.
func (s *study) onlyTestsAreNew() bool {
	var paths []string
	for _, o := range s.problem.Tree.Over {
		paths = append(paths, o.Path)
	}
	return source.AreTests(paths)
}

// hasNewTests reports whether tests were committed last, or have uncommitted changes.
func (s *study) hasNewTests() bool {
	tree := s.problem.Tree
	return len(tree.Tests) > 0 || slices.ContainsFunc(tree.Over, func(o gitext.Overlay) bool { return o.Mode != 0 && source.IsTestPath(o.Path) })
}

// noteNewTests says of tests that are not committed why they tell no bug, if there is nothing to repair: they
// pass, or the command does not run them, such as those of a part that the build leaves out.
func (s *study) noteNewTests() {
	switch {
	case s.passed != "" && s.hasNewTests():
		s.note("%s passes, which runs the new tests", s.passed)
	case s.passed != "" && s.answer.Reproduction.State != fix.Passing:
		s.note("%s passes", s.passed)
	case s.answer.Reproduction.State == fix.Passing && s.onlyTestsAreNew():
		tests := slices.DeleteFunc(slices.Clone(s.problem.Tree.Over), func(o gitext.Overlay) bool {
			return source.FileKindOf(o.Path) != source.TestFile
		})
		s.note("the command may leave out %s, which has uncommitted changes: see whether it runs", tests[0].Path)
	}
}
