package engine

import (
	"context"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// compile compiles the packages of a guess's test command before any code of the repository runs. So
// every workspace finds them, and no test can have changed them.
func (s *study) compile(ctx context.Context, c fix.Commands) error {
	if s.trial.Compiled == "" {
		return nil
	}
	if command, ok := testcmd.CompileCrates(c.Test, c.Build, c.Suite, s.problem.Lint); ok {
		tests, all := testcmd.IntegrationTests(c.Test, c.Build, c.Suite, s.problem.Lint)
		return s.compileCrates(ctx, trial.CrateBuild{Command: command, Tests: tests, Chosen: !all})
	}
	command, ok := testcmd.CompileOnly(c.Test)
	if !ok {
		return nil
	}
	return s.compileWith(ctx, command, s.clock.compilation())
}

// compileCrates compiles the crates that a Cargo project needs, of which no test wrote anything.
func (s *study) compileCrates(ctx context.Context, build trial.CrateBuild) (err error) {
	tree := s.problem.Tree
	if err := s.space.Prepare(ctx, tree.Commit, tree.Over); err != nil {
		return err
	}
	s.say("compiling the crates that the tests need")
	s.trial.Crates, err = s.space.CompileCrates(ctx, tree.Commit, tree.Over, build, s.clock.compilation())
	return err
}

// compileAll does the same after a run of a command that calls go test indirectly, such as
// make. It takes no longer than that run, which included the compilation.
func (s *study) compileAll(ctx context.Context, rep fix.Reproduction) error {
	_, known := testcmd.CompileOnly(rep.Command)
	if known || s.trial.Compiled == "" || !goTests().Match(rep.Output) {
		return nil
	}
	return s.compileWith(ctx, testcmd.CompileAll(), min(s.clock.compilation(), rep.First))
}

// goTests matches go test's result lines for packages.
var goTests = source.Lazy(`(?m)^(ok  |FAIL|\?   )\t\S+`)

// compileWith compiles within a time limit; the test itself compiles the remaining packages.
func (s *study) compileWith(ctx context.Context, command string, limit time.Duration) error {
	if err := s.space.Prepare(ctx, s.problem.Tree.Commit, s.problem.Tree.Over); err != nil {
		return err
	}
	s.say("compiling")
	bounded, cancel := context.WithTimeoutCause(ctx, limit, errTime)
	defer cancel()
	err := s.space.Compile(bounded, command)
	if err != nil && ctx.Err() == nil && context.Cause(bounded) == errTime {
		return nil
	}
	return err
}
