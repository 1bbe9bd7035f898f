package engine

import (
	"cmp"
	"context"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/source"
)

const (
	// manyRuns is the number of runs of the test that must fit into the time, or else a guessed command runs only the files of the
	// failing tests, or these tests.
	manyRuns = 30
	// narrowPart is the part of the time left for a run of a narrower command.
	narrowPart = 8
)

// narrowSlow puts a command that runs only the files of the failing tests in the place of a guessed one, which becomes that
// of the wider tests, if few of its runs fit into the time: else hardly any candidate is tried. If few runs of these files fit, either,
// the command runs only the failing tests.
func (s *study) narrowSlow(ctx context.Context) error {
	if !s.slow() || s.problem.Others == nil || s.problem.OwnTest != nil {
		return nil
	}
	if rep := s.answer.Reproduction; rep.State != fix.Failing || len(rep.Failing) == 0 || len(s.runs) == 0 {
		return nil
	}
	for _, narrowed := range []func() (string, bool){
		func() (string, bool) {
			p, ok := testcmd.Narrow(testcmd.Proposal{Test: s.problem.Test}, s.failingFiles())
			return p.Test, ok
		},
		func() (string, bool) { return testcmd.Focus(s.problem.Test, s.answer.Reproduction.Failing) },
	} {
		test, ok := narrowed()
		if !ok || test == s.problem.Test {
			continue
		}
		p := s.problem
		p.Suite, p.Test = cmp.Or(p.Suite, p.Test), test
		if err := s.useIfSame(ctx, p, s.clock.left()/narrowPart); err != nil || !s.slow() {
			return err
		}
	}
	return nil
}

// slow reports whether few runs of the test fit into the time left.
func (s *study) slow() bool {
	return s.clock.whole > 0 && s.answer.Reproduction.Took > s.clock.left()/manyRuns
}

// failingFiles returns the test files that the output names as those of failing tests.
func (s *study) failingFiles() (files []string) {
	add := func(file string) {
		if source.IsTestOf(file, s.problem.Test) && !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "../") {
			files = append(files, file)
		}
	}
	for _, name := range s.answer.Reproduction.Failing {
		file, _, _ := strings.Cut(name, " > ")
		file, _, _ = strings.Cut(file, "::")
		add(file)
	}
	for _, place := range s.runs[0].Report.Places {
		add(place.File)
	}
	return agent.Unique(files)
}
