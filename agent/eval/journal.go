package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"git-agent/cache"
)

// runKind returns the kind of a task's runs in traces.db.
func runKind(t Task) string { return "eval/" + t.Name() }

// runSpec identifies a run by its name alone. The prediction's key contains everything else that
// determines a prediction. So one run can contain several case files, algorithms and engine
// versions, and more can be added later.
type runSpec struct {
	Name string `json:"name"`
}

// RunJournal is a Journal in traces.db. Each prediction is one step of one run and is
// on disk before Keep returns.
type RunJournal struct {
	task   Task
	traces *cache.Traces
	run    cache.RunID
}

// OpenJournal continues the run with this name, or starts it if there is none.
func OpenJournal(ctx context.Context, t Task, traces *cache.Traces, name string) (*RunJournal, error) {
	spec := runSpec{name}
	run, ok, err := traces.FindRun(ctx, runKind(t), spec)
	if err != nil {
		return nil, err
	}
	if ok {
		return &RunJournal{t, traces, run.ID}, traces.Resume(ctx, run.ID)
	}
	id, err := traces.StartRun(ctx, runKind(t), spec)
	return &RunJournal{t, traces, id}, err
}

// FindJournal finds a run for reading, by its name or by a part of its id.
func FindJournal(ctx context.Context, t Task, traces *cache.Traces, name string) (*RunJournal, error) {
	run, ok, err := traces.FindRun(ctx, runKind(t), runSpec{name})
	if err != nil {
		return nil, err
	}
	if !ok {
		if run, err = traces.Lookup(ctx, name); err != nil {
			return nil, err
		}
	}
	if run.Kind != runKind(t) {
		return nil, fmt.Errorf("run %q is of kind %s, not an evaluation", name, run.Kind)
	}
	return &RunJournal{t, traces, run.ID}, nil
}

// Kept yields the predictions of the run in the order of storing. It skips damaged ones, for
// which the next run asks again.
func (t *RunJournal) Kept(ctx context.Context) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for step, err := range t.traces.Steps(ctx, t.run) {
			if err != nil && step.Seq == 0 {
				yield(Record{}, err)
				return
			}
			if err != nil || step.Kind != cache.Result {
				continue
			}
			if r, err := readRecord(t.task, step.Payload); err == nil && !yield(r, nil) {
				return
			}
		}
	}
}

// keptRecord is a record with its case and answer undecoded, because only the task can read them.
type keptRecord struct {
	Record
	Case   json.RawMessage `json:"case"`
	Answer json.RawMessage `json:"answer"`
}

// readRecord decodes a step written by Keep.
func readRecord(t Task, payload []byte) (Record, error) {
	kept, ok := cutRecord(payload)
	var err error
	if !ok {
		kept = keptRecord{}
		err = json.Unmarshal(payload, &kept)
	}
	if err == nil {
		kept.Record.Case, kept.Record.Answer, err = t.ReadKept(kept.Case, kept.Answer)
	}
	return kept.Record, err
}

// cutRecord reads a record without decoding its case and its answer, which are the largest parts.
// It returns false if json.Unmarshal must read the record, which also finds errors in it.
func cutRecord(payload []byte) (keptRecord, bool) {
	var kept keptRecord
	var field any
	ok := EachMember(payload, func(name, value []byte) bool {
		switch string(name) {
		case "case":
			kept.Case = value
			return true
		case "answer":
			kept.Answer = value
			return true
		case "key":
			field = &kept.Key
		case "algorithm":
			field = &kept.Algorithm
		case "version":
			field = &kept.Version
		case "setting":
			field = &kept.Setting
		case "absent":
			field = &kept.Absent
		case "error":
			field = &kept.Error
		case "skip":
			field = &kept.Skip
		case "seconds":
			field = &kept.Seconds
		default:
			return false
		}
		return json.Unmarshal(value, field) == nil
	})
	return kept, ok
}

// Keep appends one prediction. If another process has ended the run, Keep reopens it, because two
// processes may share a run.
func (t *RunJournal) Keep(ctx context.Context, r Record) error {
	payload, err := json.Marshal(r)
	if err != nil {
		return err
	}
	step := cache.Step{Kind: cache.Result, Key: r.Key, Payload: payload}
	err = t.traces.Append(ctx, t.run, step)
	if errors.Is(err, cache.ErrNotRunning) {
		if err = t.traces.Resume(ctx, t.run); err == nil {
			err = t.traces.Append(ctx, t.run, step)
		}
	}
	return err
}

// Close does nothing: the caller closes the traces.
func (t *RunJournal) Close() error { return nil }

// Finish records how the run ended; err is nil for success.
func (t *RunJournal) Finish(ctx context.Context, err error) error {
	state := cache.Done
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		state = cache.Stopped
	case err != nil:
		state = cache.Failed
	}
	return t.traces.Finish(context.WithoutCancel(ctx), t.run, state)
}
