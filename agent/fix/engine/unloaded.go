package engine

import (
	"context"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix"
)

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
