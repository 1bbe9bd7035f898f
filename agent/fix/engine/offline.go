package engine

import (
	"context"
	"fmt"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/offline"
	"git-agent/gitext/gitcmd"
)

// repairOffline looks for a patch without a model. If ctx ends the search, the answer has the
// partial result, and an error is returned.
func (s *study) repairOffline(ctx context.Context) error {
	eff, rep := s.engine.Effort, s.answer.Reproduction
	wall, proof := s.clock.search(rep, s.suiteTook())
	if s.clock.whole > 0 && wall < leastRun(rep) {
		s.answer.Stopped = fmt.Sprintf(
			"stopped at --time before a candidate was tried: one run of the test takes %s, and %s were left",
			brief(rep.Took),
			brief(max(wall, 0)),
		)
		return nil
	}
	s.announce(wall)
	found, err := offline.Repair(ctx, s.engine.Repo, offline.Input{
		Problem: s.problem, Reproduction: rep, Localization: &s.answer.Localization, History: s.answer.History,
		Good: eff.Good, RevertOnly: eff.RevertOnly, Trial: s.trial, Space: s.space, Runs: s.runs, Complete: s.complete, Validate: s.proof.Validate,
		SuiteTook: s.suiteTook(),
		Budget:    offline.Budget{Wall: wall, Proof: proof, Tries: eff.Tries, Want: max(eff.Want, 1)}, Jobs: eff.Jobs, OnEvent: s.listen,
	})
	if err != nil && ctx.Err() == nil {
		return err
	}
	s.answer.Stopped, s.answer.Unproved = found.Stopped, found.Unproved
	s.answer.Notes = append(s.answer.Notes, found.Notes...)
	if ctx.Err() != nil {
		s.answer.Stopped = "interrupted"
	}
	s.conclude(ctx, found.Trials)
	return err
}

// suiteTook is the time of a run of the wider tests, 0 if it is not known.
func (s *study) suiteTook() time.Duration {
	if s.wider == nil {
		return 0
	}
	return s.wider.Took
}

// complete calls a function that reads the history, and fetches the missing objects of a
// partial clone for it.
func (s *study) complete(ctx context.Context, read func(context.Context) error) error {
	u, err := s.engine.Fetch.Complete(gitcmd.Uncounted(ctx), read)
	s.mark(u)
	return err
}

// builtBefore is the ratio of the first run of a test to the later ones from which the first also built
// what the later ones found built.
const builtBefore = 4

// leastRun estimates the time of another run of the test. A first run may have been mostly a build, of which the next
// one compiles only what changed.
func leastRun(rep fix.Reproduction) time.Duration {
	if rep.Runs > 1 {
		return rep.Took
	}
	return rep.Took / builtBefore
}

// announce reports the duration of a test run and the resulting number of candidates that the
// search can try. There is no number if candidates are also built, which takes unknown time.
func (s *study) announce(wall time.Duration) {
	rep := s.answer.Reproduction
	if s.listen == nil || rep.Took <= 0 || wall <= 0 {
		return
	}
	text := "one run of the test takes " + brief(rep.Took)
	if wall < rep.Took {
		text = fmt.Sprintf("the only run of the test took %s, maybe with a build that the next one has; %s are left", brief(rep.Took), brief(wall))
	} else if rep.First > time.Second && rep.First > builtBefore*rep.Took {
		text += fmt.Sprintf(" and the first one, with a build, took %s; candidates are built too, in the %s that are left", brief(rep.First), brief(wall))
	} else {
		n := max(1, int(wall/rep.Took))
		if most := s.engine.Effort.Tries; most > 0 {
			n = min(n, most)
		}
		text += fmt.Sprintf("; about %s into the %s that are left, and more where they share a build or a process", fitting(n), brief(wall))
	}
	s.listen(agent.Progress{Lasting: true, Text: text})
}

// fitting writes the number of candidates that fit, rounded to two digits.
func fitting(n int) string {
	round := 1
	for n/round >= 100 {
		round *= 10
	}
	if n == 1 {
		return "1 candidate fits"
	}
	return fmt.Sprintf("%d candidates fit", n/round*round)
}
