package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"git-agent/agent"
	"git-agent/cache"
)

// Record holds the recorded runs of one question. If there are several, they are
// the samples of an ensemble.
type Record struct {
	session *Session
	kind    string
	spec    func(sample int) any

	mu         sync.Mutex
	runs       map[int]cache.RunID
	incomplete map[int]bool // runs whose record ended early
}

// NewRecord prepares the record of a question. spec returns the identity of the given
// sample, counted from 0. If an interrupted run of the same kind has an equal spec, that
// run is resumed.
func (s *Session) NewRecord(kind string, spec func(sample int) any) *Record {
	return &Record{session: s, kind: kind, spec: spec, runs: map[int]cache.RunID{}, incomplete: map[int]bool{}}
}

// journal resumes the interrupted k-th run, or starts it. If the run cannot be recorded,
// journal warns and returns nil: the run continues unrecorded.
func (r *Record) journal(ctx context.Context, k int) (agent.Journal, error) {
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
		s.warnUnrecorded(err)
		return nil, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.runs[k] = id
	return &optionalJournal{Journal: s.Followed(agent.NewTraceJournal(s.traces, id), r.kind, spec), onEnd: func(err error) {
		r.mu.Lock()
		r.incomplete[k] = true
		r.mu.Unlock()
		s.warnUnrecorded(err)
	}}, nil
}

// resume resumes the interrupted run with this spec and returns its id. It
// returns "" if there is none, or if another process is working on it.
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
	s.Say(fmt.Sprintf("resuming run %s, which was interrupted after %d steps", run.ID, run.Steps))
	return run.ID, nil
}

// IDs returns the recorded runs in the order of the samples. A run that could
// not be recorded has the id "".
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

// Finish closes the runs. statuses has the status of each run, as in agent.Outcome;
// server says that a request to the server failed. A run that failed because of the
// server stays open, so that the next process resumes it after the last answer.
func (r *Record) Finish(ctx context.Context, statuses []string, server bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(r.runs)) {
		state := cache.Done
		if k < len(statuses) {
			state = StateOf(statuses[k])
		}
		if state == cache.Failed && server || r.incomplete[k] {
			continue
		}
		if err := r.session.traces.Finish(context.WithoutCancel(ctx), r.runs[k], state); err != nil {
			r.session.warnUnrecorded(err)
		}
	}
}

// StateOf returns the closed state of a run that ended with this status, one of the
// agent.Status constants.
func StateOf(status string) cache.State {
	switch status {
	case agent.StatusLimit, agent.StatusInterrupted:
		return cache.Stopped
	case agent.StatusFailed:
		return cache.Failed
	}
	return cache.Done
}

// warnUnrecorded warns that a run continues unrecorded.
func (s *Session) warnUnrecorded(err error) { s.Warn(Unrecorded(err)) }

// Unrecorded returns the warning that runs continue unrecorded because of err.
func Unrecorded(err error) string {
	return fmt.Sprintf("what the model does is not recorded from here on: %v", err)
}
