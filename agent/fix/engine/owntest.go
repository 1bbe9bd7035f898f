package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/investigate"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/session"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// needsModel says why a bug with only a report is not repaired without a model.
const needsModel = "no command is known that fails because of the bug, and only a model can write a test from a report: give a command with --test, or configure a model"

// writes reports whether a model should write the failing test if none is known.
func (s *study) writes() bool {
	return s.problem.WriteTest && s.engine.Agent != nil && !s.engine.Effort.Locate && s.hasWords()
}

// takeForSuite makes the passing test command the suite, because another test must show the
// bug.
func (s *study) takeForSuite() {
	s.say("%s passes, so another test must show the bug", s.problem.Test)
	s.problem.Suite, s.problem.Test, s.problem.Others = cmp.Or(s.problem.Suite, s.problem.Test), "", nil
	s.answer.Reproduction, s.runs, s.unwritten = fix.Reproduction{}, nil, true
}

// writeTest lets the model write the failing test. If this test fails in a clean tree, it
// becomes the test of the problem. Otherwise the answer says why the problem is declined.
func (s *study) writeTest(ctx context.Context, ans *Result) error {
	a := s.engine.Agent
	defer func() {
		if s.answer.Declined != "" {
			s.answer.Agent = &fix.AgentReport{Model: a.Session.Settings.Model, Runs: []fix.Run{*s.wrote}}
		}
	}()
	spec, err := specOf(a.Of, s.q)
	if err != nil {
		return err
	}
	s.say("the model writes a test that shows the bug")
	record := a.record(spec, a.method(s.q))
	found, err := session.Investigate(
		ctx,
		a.Session,
		record,
		func(asker *session.Watch, journal func(int) (agent.Journal, error)) (*investigate.Written, []agent.RunReport, error) {
			opt := s.options(asker)
			opt.Journal = journal
			w, err := investigate.WriteTest(ctx, s.engine.Repo, s.input(), opt)
			if err != nil {
				return nil, nil, err
			}
			return w, []agent.RunReport{w.Run.RunReport}, nil
		},
	)
	if err != nil {
		return err
	}
	ans.End = found.End
	s.wrote = &found.Answer.Run
	if len(found.Runs) > 0 {
		s.wrote.Trace = string(found.Runs[0])
	}
	if found.Answer.Test == nil {
		s.answer.Declined = "the model wrote no test that fails because of the bug: " + cmp.Or(
			s.wrote.Claim.Explanation,
			s.wrote.Reason,
			"it gave no reason",
		)
		return nil
	}
	return s.take(ctx, *found.Answer.Test)
}

// take makes the model's test the test of the problem, if it fails each time in a clean tree,
// and if the command does not fail in the same way without this test.
func (s *study) take(ctx context.Context, test fix.OwnTest) (err error) {
	tree := s.problem.Tree
	file := []gitext.Overlay{test.File}
	if test.Diff, err = s.space.Diff(ctx, tree.Commit, tree.Over, file); err != nil {
		return err
	}
	without, err := s.runClean(ctx, test.Command)
	if err != nil {
		return err
	}
	p := &s.problem
	p.Tree.Over = slices.Concat(tree.Over, file)
	p.Known = slices.Concat(p.Known, without.Report.Failing)
	p.Test, p.OwnTest, p.WriteTest = test.Command, &test, false
	s.q.Problem, s.unwritten = *p, false
	s.answer.Notes = nil // the notes about the report are made again
	if err := s.space.Fresh(ctx); err != nil {
		return err
	}
	if err := s.reproduces(ctx); err != nil {
		return err
	}
	if why := s.provesNothing(without); s.answer.Declined == "" && why != "" {
		s.answer.Declined = why
	}
	if s.answer.Declined != "" {
		s.answer.Declined = fmt.Sprintf("the test that the model wrote, %q, is no start of a repair: %s", test.File.Path, s.answer.Declined)
		return nil
	}
	s.answer.OwnTest = &test
	return s.suspectFailing(ctx)
}

// runClean runs a command in a clean copy of the problem's tree.
func (s *study) runClean(ctx context.Context, command string) (testrun.Ending, error) {
	tree := s.problem.Tree
	if err := s.space.Fresh(ctx); err != nil {
		return testrun.Ending{}, err
	}
	if err := s.space.Prepare(ctx, tree.Commit, tree.Over); err != nil {
		return testrun.Ending{}, err
	}
	return testrun.Run(ctx, s.space, testrun.Commands{Build: s.problem.Build, Test: command})
}

// provesNothing says that a test's failure has another cause: the command fails in the same way
// without the test. It returns "" if the test causes the failure.
func (s *study) provesNothing(without testrun.Ending) string {
	rep := s.answer.Reproduction
	switch {
	case len(rep.Failing) > 0 || without.State != fix.Failing:
		return ""
	case len(without.Report.Failing) > 0:
		return "the tests that fail with it fail without it too"
	case len(trial.FailureOf(trial.Result{Output: rep.Output}, without.Output)) == 0:
		return "its command fails in the same way without it"
	}
	return ""
}

// dropKnown removes the tests that fail for another reason from those that must pass.
func (s *study) dropKnown() {
	if s.problem.OwnTest == nil {
		return
	}
	rep := &s.answer.Reproduction
	rep.Failing = slices.DeleteFunc(rep.Failing, func(name string) bool { return slices.Contains(s.problem.Known, name) })
}

// own gives a patch that passes the model's own test the verdict OwnTested, and adds cautions
// about this proof.
func (s *study) own(t *fix.Trial) {
	if s.problem.OwnTest == nil || t.Verdict != fix.Plausible {
		return
	}
	t.Verdict = fix.OwnTested
	if s.problem.Suite == "" || s.problem.Suite == s.problem.Test {
		t.Cautions = append(t.Cautions, "no wider tests are known, so nothing shows what else it changes")
	}
}
