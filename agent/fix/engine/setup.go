package engine

import (
	"context"
	"time"

	"git-agent/agent/trial"
)

// setUpTrial runs the setup command of the problem, unless an earlier run did, and makes the
// installed files visible to the commands. If there is no test and no model to write one,
// nothing runs, so nothing is installed.
func (s *study) setUpTrial(ctx context.Context) error {
	p := s.problem
	if p.Setup == "" || p.Test == "" && !s.writes() {
		return nil
	}
	s.say("setting up: %s", p.Setup)
	spec := trial.SetupSpec{Command: p.Setup, Folder: s.engine.Kept, Commit: p.Tree.Commit, Over: p.Tree.Over}
	installed, err := trial.NewSetup(ctx, s.engine.Repo, spec, s.trial)
	if err != nil {
		return err
	}
	if !installed.Again {
		s.setUp = installed.Took
		s.say("set up in %s", installed.Took.Round(time.Second/10))
	}
	installed.Use(&s.trial)
	return nil
}
