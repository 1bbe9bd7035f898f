package engine

import (
	"context"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
)

// leaveOutModules makes a guessed command of Maven build and test only the modules of the failing tests, and those that
// these need, if a module that Maven skips while they fail does not build here: with that one the command fails
// whatever a patch does.
func (s *study) leaveOutModules(ctx context.Context) error {
	p, rep := s.problem, &s.answer.Reproduction
	if p.Others == nil || p.OwnTest != nil || rep.State != fix.Failing || !skippedModule().Match(rep.Output) {
		return nil
	}
	compiling, ok := testcmd.CompileModules(p.Test)
	if !ok || s.clock.whole > 0 && rep.Took > s.clock.left()/olderPart {
		return nil
	}
	if err := s.space.Prepare(ctx, p.Tree.Commit, p.Tree.Over); err != nil {
		return err
	}
	s.say("compiling the modules that Maven skipped behind the failing one")
	if e, err := testrun.Run(ctx, s.space, testrun.Commands{Test: compiling}); err != nil || !e.Report.Build {
		return err
	}
	return s.useModules(ctx, p)
}

// skippedModule matches what Maven says of a module that needs one whose tests fail.
var skippedModule = source.Lazy(`(?m)^\[INFO\] .*\. SKIPPED\s*$`)

// useModules restricts the commands to the modules of the failing tests.
func (s *study) useModules(ctx context.Context, p fix.Problem) error {
	modules, err := testcmd.ModulesOf(ctx, s.engine.Repo, p.Tree, s.answer.Reproduction.Failing)
	if err != nil {
		return err
	}
	narrowed, ok := testcmd.WithModules(p.Test, modules)
	if !ok {
		return nil
	}
	if p.Suite != "" {
		p.Suite, _ = testcmd.WithModules(p.Suite, modules)
	}
	p.Test = narrowed
	if err := s.useIfSame(ctx, p, 0); err != nil || s.problem.Test != narrowed {
		return err
	}
	s.note("a module that needs those of the failing tests does not build here: the command leaves out all that need them")
	return nil
}

// leaveOutUnloaded makes a guessed command run the failing tests alone, if it also has test files that do not load because
// something is not installed here. With them the command fails whatever a patch does; the wider tests are compared with
// those without the patch.
func (s *study) leaveOutUnloaded(ctx context.Context) error {
	p, rep := &s.problem, &s.answer.Reproduction
	if p.Others == nil || p.OwnTest != nil || rep.State != fix.Failing || len(rep.Failing) == 0 || len(s.runs) == 0 {
		return nil
	}
	first := s.runs[0].Report
	files := slices.DeleteFunc(slices.Clone(first.Unbuilt), func(name string) bool { return slices.Contains(rep.Failing, name) })
	if lack, _ := first.Lack(); lack == "" || len(files) == 0 {
		return nil
	}
	whole := p.Test
	if err := s.narrow(ctx); err != nil || s.problem.Test == whole {
		return err
	}
	s.problem.Known = append(slices.Clone(s.problem.Known), files...)
	s.note("test files that do not load are left out: %s, such as %s: %s", agent.Plural(len(files), "file"), files[0], first.Missing)
	return nil
}
