package session

import (
	"context"
	"errors"
	"sync"

	"git-agent/agent"
)

// optionalJournal records a run until the first error of the record, such as a
// full disk or a damaged file. From then on it records nothing and returns no
// error, so that a failing record never costs the answer.
type optionalJournal struct {
	agent.Journal
	onEnd func(error) // is called with the error that ended the record

	mu    sync.Mutex
	ended bool
}

// Open returns the keys of the steps that an interrupted process left unfinished.
func (j *optionalJournal) Open(ctx context.Context) ([]string, error) {
	opener, ok := j.Journal.(interface {
		Open(ctx context.Context) ([]string, error)
	})
	if !ok || j.hasEnded() {
		return nil, nil
	}
	keys, err := opener.Open(ctx)
	return keys, j.endAt(ctx, err)
}

// Recall returns nothing once the record has ended.
func (j *optionalJournal) Recall(ctx context.Context, key string) ([]byte, bool, error) {
	if j.hasEnded() {
		return nil, false, nil
	}
	payload, ok, err := j.Journal.Recall(ctx, key)
	return payload, ok && err == nil, j.endAt(ctx, err)
}

// Intend records an intended step unless the record has ended.
func (j *optionalJournal) Intend(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Intend, key, payload)
}

// Record records a step unless the record has ended.
func (j *optionalJournal) Record(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Record, key, payload)
}

// Note records a note unless the record has ended.
func (j *optionalJournal) Note(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Note, key, payload)
}

func (j *optionalJournal) try(ctx context.Context, write func(context.Context, string, []byte) error, key string, payload []byte) error {
	if j.hasEnded() {
		return nil
	}
	return j.endAt(ctx, write(ctx, key, payload))
}

func (j *optionalJournal) hasEnded() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ended
}

// endAt ends the record at the first error and returns nil. It returns the error of a
// caller that has stopped waiting, because the record did not fail.
func (j *optionalJournal) endAt(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.ended {
		j.ended = true
		j.onEnd(err)
	}
	return nil
}
