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

// manyRuns is the number of runs of the test that must fit into the time, or else a guessed command runs only the files of the failing tests.
const manyRuns = 30

// narrowToFiles puts a command that runs only the files of the failing tests in the place of a guessed one, which becomes that
// of the wider tests, if few of its runs fit into the time: else hardly any candidate is tried.
func (s *study) narrowToFiles(ctx context.Context) error {
	p, rep := s.problem, &s.answer.Reproduction
	slow := s.clock.whole > 0 && rep.Took > s.clock.left()/manyRuns
	if !slow || p.Others == nil || p.OwnTest != nil || rep.State != fix.Failing || len(rep.Failing) == 0 || len(s.runs) == 0 {
		return nil
	}
	narrow, ok := testcmd.Narrow(testcmd.Proposal{Test: p.Test}, s.failingFiles())
	if !ok || narrow.Test == p.Test {
		return nil
	}
	p.Suite, p.Test = cmp.Or(p.Suite, p.Test), narrow.Test
	return s.useIfSame(ctx, p)
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
