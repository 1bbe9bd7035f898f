package engine

import (
	"context"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
)

// compile has the packages of a test command compiled before anything of the repository
// runs, so that every workspace finds them and no test can have changed them.
func (s *study) compile(ctx context.Context, test string) error {
	command, ok := testrun.CompileOnly(test)
	if !ok || s.trial.Compiled == "" {
		return nil
	}
	return s.compileWith(ctx, command, s.clock.compilation())
}

// compileAll does the same after a command has run that turned out to call go test
// somewhere inside, such as make. It takes no longer than that run, which had to compile too.
func (s *study) compileAll(ctx context.Context, rep fix.Reproduction) error {
	_, known := testrun.CompileOnly(rep.Command)
	if known || s.trial.Compiled == "" || !goTests().Match(rep.Output) {
		return nil
	}
	return s.compileWith(ctx, testrun.CompileAll(), min(s.clock.compilation(), rep.First))
}

// goTests matches the lines in which go test tells of a package.
var goTests = source.Lazy(`(?m)^(ok  |FAIL|\?   )\t\S+`)

// compileWith compiles until a limit: what is not compiled by then, the test compiles itself.
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
