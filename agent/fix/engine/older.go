package engine

import (
	"context"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// leaveOutOlder removes the tests that fail without the new tests too from the failing
// ones, if other tests fail only with them: these show the bug, and no
// patch of it repairs the older failures, such as those of a tool that is of another version. While
// one of them counted, no patch at all was plausible. New are uncommitted tests, and those that the last commits
// changed, if there is no other new change.
func (s *study) leaveOutOlder(ctx context.Context) error {
	p, rep := &s.problem, &s.answer.Reproduction
	before, over, without := p.Tree.Before, p.Tree.Over, "before the last commits, which change only tests,"
	if s.onlyTestsAreNew() {
		before, over, without = p.Tree.Commit, nil, "without the uncommitted changes"
	}
	if p.OwnTest != nil || rep.State != fix.Failing || len(rep.Failing) < 2 || before == "" {
		return nil
	}
	if s.clock.whole > 0 && rep.Took > s.clock.left()/olderPart {
		return nil
	}
	s.say("running the test at %s, without the new tests", before.Short())
	if err := s.space.Prepare(ctx, before, over); err != nil {
		return err
	}
	e, err := testrun.Run(ctx, s.space, testrun.Commands{Build: p.Build, Test: p.Test, Set: testrun.Uncached(p.Test)})
	if err != nil || e.State != fix.Failing {
		return err
	}
	var older, fresh []string
	for _, name := range rep.Failing {
		if slices.Contains(e.Report.Failing, name) {
			older = append(older, name)
		} else {
			fresh = append(fresh, name)
		}
	}
	if len(older) == 0 || len(fresh) == 0 {
		return nil
	}
	p.Known, rep.Failing = append(slices.Clone(p.Known), older...), fresh
	s.note("tests that fail %s too are left out: %s, such as %s", without, agent.Plural(len(older), "test"), older[0])
	return nil
}

// onlyTestsAreNew reports whether there are uncommitted changes, and all are of tests. A change of the program
// may itself be the bug, or the beginning of its repair.
func (s *study) onlyTestsAreNew() bool {
	var paths []string
	for _, o := range s.problem.Tree.Over {
		paths = append(paths, o.Path)
	}
	return source.AreTests(paths)
}

// noteNewTests says of tests that are not committed why they tell no bug, if there is nothing to repair: they
// pass, or the command does not run them, such as those of a part that the build leaves out.
func (s *study) noteNewTests() {
	switch {
	case s.passed != "":
		s.note("%s passes, which runs the new tests", s.passed)
	case s.answer.Reproduction.State == fix.Passing && s.onlyTestsAreNew():
		tests := slices.DeleteFunc(slices.Clone(s.problem.Tree.Over), func(o gitext.Overlay) bool {
			return source.FileKindOf(o.Path) != source.TestFile
		})
		s.note("the command may leave out %s, which has uncommitted changes: see whether it runs", tests[0].Path)
	}
}
