package session

import (
	"context"
	"errors"
	"sync"

	"git-agent/agent"
)

// optionalJournal records a run for as long as that is possible. A disk that
// fills up, or damage that shows in the middle of a run, costs the rest of the
// record and never the answer.
type optionalJournal struct {
	agent.Journal
	lost func(error) // told of the error that ended the record

	mu  sync.Mutex
	off bool
}

// Open hands on what an earlier life of the run left open.
func (j *optionalJournal) Open(ctx context.Context) ([]string, error) {
	opener, ok := j.Journal.(interface {
		Open(ctx context.Context) ([]string, error)
	})
	if !ok || j.ended() {
		return nil, nil
	}
	keys, err := opener.Open(ctx)
	return keys, j.lostAt(ctx, err)
}

// Recall returns nothing once the record has ended.
func (j *optionalJournal) Recall(ctx context.Context, key string) ([]byte, bool, error) {
	if j.ended() {
		return nil, false, nil
	}
	payload, ok, err := j.Journal.Recall(ctx, key)
	return payload, ok && err == nil, j.lostAt(ctx, err)
}

// Intend records, or does not.
func (j *optionalJournal) Intend(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Intend, key, payload)
}

// Record records, or does not.
func (j *optionalJournal) Record(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Record, key, payload)
}

// Note records, or does not.
func (j *optionalJournal) Note(ctx context.Context, key string, payload []byte) error {
	return j.try(ctx, j.Journal.Note, key, payload)
}

func (j *optionalJournal) try(ctx context.Context, write func(context.Context, string, []byte) error, key string, payload []byte) error {
	if j.ended() {
		return nil
	}
	return j.lostAt(ctx, write(ctx, key, payload))
}

func (j *optionalJournal) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.off
}

// lostAt ends the record at the first error. One of a caller who has stopped
// waiting is no fault of the record.
func (j *optionalJournal) lostAt(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.off {
		j.off = true
		j.lost(err)
	}
	return nil
}
