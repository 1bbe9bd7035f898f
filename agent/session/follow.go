package session

import (
	"context"
	"encoding/json"
	"time"

	"git-agent/agent"
	"git-agent/cache"
)

// A Follower gets the steps of a run after they are recorded, in their order. It must return at once,
// and cannot fail.
type Follower interface {
	// Recalled gets a step that an earlier process of the run recorded.
	Recalled(step cache.Step)
	// Step gets a new step.
	Step(step cache.Step)
}

// Follow returns the follower of a run that begins, or is resumed.
type Follow func(run cache.Run) Follower

// Followed returns a journal of a run that also passes the steps to the session's follower.
func (s *Session) Followed(j *agent.TraceJournal, kind string, spec any) agent.Journal {
	if s.follow == nil {
		return j
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return j // the store has refused the spec before
	}
	return &followedJournal{j, s.follow(cache.Run{ID: j.Run(), Kind: kind, Spec: data, Version: s.Version, Started: time.Now()})}
}

// followedJournal is a journal with a follower.
type followedJournal struct {
	*agent.TraceJournal
	follower Follower
}

func (j *followedJournal) Recall(ctx context.Context, key string) ([]byte, bool, error) {
	payload, ok, err := j.TraceJournal.Recall(ctx, key)
	if err == nil && ok {
		j.follower.Recalled(cache.Step{Kind: cache.Result, Key: key, Payload: payload, At: time.Now()})
	}
	return payload, ok, err
}

func (j *followedJournal) Intend(ctx context.Context, key string, payload []byte) error {
	return j.tell(cache.Intent, key, payload, j.TraceJournal.Intend(ctx, key, payload))
}

func (j *followedJournal) Record(ctx context.Context, key string, payload []byte) error {
	return j.tell(cache.Result, key, payload, j.TraceJournal.Record(ctx, key, payload))
}

func (j *followedJournal) Note(ctx context.Context, key string, payload []byte) error {
	return j.tell(cache.Note, key, payload, j.TraceJournal.Note(ctx, key, payload))
}

// tell passes a step on if it is recorded.
func (j *followedJournal) tell(kind cache.StepKind, key string, payload []byte, err error) error {
	if err == nil {
		j.follower.Step(cache.Step{Kind: kind, Key: key, Payload: payload, At: time.Now()})
	}
	return err
}
