package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// Record holds the recorded runs of one question. Several runs are the samples
// of an ensemble.
type Record struct {
	session *Session
	kind    string
	spec    func(sample int) any

	mu   sync.Mutex
	runs map[int]cache.RunID
	torn map[int]bool // runs whose record has ended early
}

// NewRecord prepares the record of a question. spec returns what identifies a
// sample, counted from 0: an interrupted run is taken up again by the next one
// of the same kind with an equal spec.
func (s *Session) NewRecord(kind string, spec func(sample int) any) *Record {
	return &Record{session: s, kind: kind, spec: spec, runs: map[int]cache.RunID{}, torn: map[int]bool{}}
}

// Journal takes up the k-th run where it was interrupted, or starts it. It
// returns nil where nothing can be recorded, which is warned about and costs no
// answer.
func (r *Record) Journal(ctx context.Context, k int) (agent.Journal, error) {
	s := r.session
	if s.traces == nil {
		return nil, nil
	}
	spec := r.spec(k)
	id, err := r.resume(ctx, spec)
	if err == nil && id == "" {
		id, err = s.traces.StartRun(ctx, r.kind, spec)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		s.lost(err)
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[k] = id
	return &optionalJournal{Journal: agent.NewTraceJournal(s.traces, id), lost: func(err error) {
		r.mu.Lock()
		r.torn[k] = true
		r.mu.Unlock()
		s.lost(err)
	}}, nil
}

// resume returns "" when there is nothing to take up, or another process is at
// it.
func (r *Record) resume(ctx context.Context, spec any) (cache.RunID, error) {
	s := r.session
	run, ok, err := s.traces.FindRun(ctx, r.kind, spec)
	if err != nil || !ok || run.State != cache.Interrupted {
		return "", err
	}
	if err := s.traces.Resume(ctx, run.ID); err != nil {
		if errors.Is(err, cache.ErrHeld) {
			return "", nil
		}
		return "", err
	}
	s.Say(fmt.Sprintf("going on with run %s, which was interrupted after %d steps", run.ID, run.Steps))
	return run.ID, nil
}

// IDs returns the recorded runs in the order of the samples, "" for one that
// could not be recorded.
func (r *Record) IDs() []cache.RunID {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []cache.RunID
	for _, k := range slices.Sorted(maps.Keys(r.runs)) {
		for len(ids) < k {
			ids = append(ids, "")
		}
		ids = append(ids, r.runs[k])
	}
	return ids
}

// Finish closes the runs, whose statuses are those of agent.Outcome. A run that
// failed at the server stays open: it goes on from the last answer when it is
// asked for again.
func (r *Record) Finish(ctx context.Context, statuses []string, server bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(r.runs)) {
		state := cache.Done
		if k < len(statuses) {
			state = StateOf(statuses[k])
		}
		if state == cache.Failed && server || r.torn[k] {
			continue
		}
		if err := r.session.traces.Finish(context.WithoutCancel(ctx), r.runs[k], state); err != nil {
			r.session.lost(err)
		}
	}
}

// StateOf is the state in which a run of that status, one of the agent.Status
// constants, is closed.
func StateOf(status string) cache.State {
	switch status {
	case agent.StatusLimit, agent.StatusInterrupted:
		return cache.Stopped
	case agent.StatusFailed:
		return cache.Failed
	}
	return cache.Done
}

// lost tells the user that a record has ended before its run.
func (s *Session) lost(err error) { s.Warn(Unrecorded(err)) }

// Unrecorded says that runs go on without being recorded, and why.
func Unrecorded(err error) string {
	return fmt.Sprintf("what the model does is not recorded from here on: %v", err)
}

// Watch is a session's client that remembers whether the server failed. What
// the model does wrong is the engine's to judge, and no failure here. It is safe
// for concurrent use.
type Watch struct {
	client *model.Client

	mu     sync.Mutex
	failed *model.Error
}

// Watch returns a client for one question.
func (s *Session) Watch() *Watch { return &Watch{client: s.Client} }

// Ask hands the request on.
func (w *Watch) Ask(ctx context.Context, req model.Request) (*model.Reply, error) {
	reply, err := w.client.Ask(ctx, req)
	var failed *model.Error
	if errors.As(err, &failed) && ctx.Err() == nil {
		switch failed.Class {
		case model.ClassOverflow, model.ClassRefused, model.ClassMalformed, model.ClassRequest:
		default:
			w.mu.Lock()
			w.failed = failed
			w.mu.Unlock()
		}
	}
	return reply, err
}

// Price returns what the client knows, for limits in USD.
func (w *Watch) Price() (model.Price, bool) { return w.client.Price() }

// Failed returns the last time that the server gave no answer, nil if it always
// did.
func (w *Watch) Failed() *model.Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}

// Fatal reports whether every other question would fail as well.
func (w *Watch) Fatal() bool {
	failed := w.Failed()
	return failed != nil && failed.EndsAll()
}
