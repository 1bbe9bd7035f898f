package session

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// Investigation is the result of a model's recorded work on one question.
type Investigation[A any] struct {
	Answer A
	Runs   []cache.RunID // the recorded runs, in the order of the samples
	Failed *model.Error  // error of the last request that the server did not answer; nil if it answered all

	// End records that the runs have ended. Call it after the answer is cached. If
	// the process is killed before that, the next one resumes the runs instead of
	// paying for new ones.
	End func(context.Context)
}

// Ask is the work of a verb's engine on one question. It asks the model through
// asker, and records its runs in the journals; a nil journal records nothing. It also
// returns how the runs ended.
type Ask[A any] func(asker *Watch, journal func(run int) (agent.Journal, error)) (A, []agent.RunReport, error)

// Investigate lets the session's model work on one question, and records the runs. It
// returns an error if the server would refuse every other question too. After any other
// failure of the server, ask still returns an answer. After an error the runs stay open,
// so that they can be resumed.
func Investigate[A any](ctx context.Context, s *Session, record *Record, ask Ask[A]) (*Investigation[A], error) {
	watch := s.watch()
	answer, reports, err := ask(watch, func(run int) (agent.Journal, error) { return record.journal(ctx, run) })
	if watch.fatal() && ctx.Err() == nil {
		err = s.advise(watch.Failed())
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	end := func(ctx context.Context) { record.Finish(ctx, statuses(reports), watch.Failed() != nil) }
	return &Investigation[A]{answer, record.IDs(), watch.Failed(), end}, nil
}

// statuses lists how runs ended.
func statuses(reports []agent.RunReport) []string {
	var list []string
	for _, r := range reports {
		list = append(list, r.Status)
	}
	return list
}

// Resume lets the session's model continue one recorded run. reopen reopens the run and
// returns its journal. The answer has no End, because the caller closes the run after it
// has shown the answer.
func Resume[A any](s *Session, reopen func() (agent.Journal, error), ask Ask[A]) (*Investigation[A], error) {
	journal, err := reopen()
	if err != nil {
		return nil, err
	}
	watch := s.watch()
	answer, _, err := ask(watch, func(int) (agent.Journal, error) { return journal, nil })
	if err != nil {
		return nil, err
	}
	return &Investigation[A]{Answer: answer, Failed: watch.Failed()}, nil
}
