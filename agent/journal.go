package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/cache"
)

// Journal keeps what a run does, step by step, so that it can be resumed,
// replayed and shown. An action has a key that is unique in its run: Intend
// before it, Record after it; both return when the step is on the disk.
// Recall gives what an earlier life of the run recorded for a key.
type Journal interface {
	Recall(ctx context.Context, key string) (payload []byte, ok bool, err error)
	Intend(ctx context.Context, key string, payload []byte) error
	Record(ctx context.Context, key string, payload []byte) error
	Note(ctx context.Context, key string, payload []byte) error
}

// TraceJournal is a Journal in traces.db.
type TraceJournal struct {
	traces *cache.Traces
	run    cache.RunID
}

// NewTraceJournal writes to a run that was started or resumed here.
func NewTraceJournal(traces *cache.Traces, run cache.RunID) *TraceJournal {
	return &TraceJournal{traces, run}
}

// Run is the id of the run.
func (j *TraceJournal) Run() cache.RunID { return j.run }

// Recall returns the last result with this key.
func (j *TraceJournal) Recall(ctx context.Context, key string) ([]byte, bool, error) {
	return j.traces.Done(ctx, j.run, key)
}

// Intend records that something is about to be done.
func (j *TraceJournal) Intend(ctx context.Context, key string, payload []byte) error {
	return j.append(ctx, cache.Intent, key, payload)
}

// Record records what came of it. It also does so when ctx has ended: what
// was paid for is kept.
func (j *TraceJournal) Record(ctx context.Context, key string, payload []byte) error {
	return j.append(context.WithoutCancel(ctx), cache.Result, key, payload)
}

// Note records anything else.
func (j *TraceJournal) Note(ctx context.Context, key string, payload []byte) error {
	return j.append(context.WithoutCancel(ctx), cache.Note, key, payload)
}

func (j *TraceJournal) append(ctx context.Context, kind cache.StepKind, key string, payload []byte) error {
	return j.traces.Append(ctx, j.run, cache.Step{Kind: kind, Key: key, Payload: payload})
}

// Open returns the keys of intents that no result followed: what an earlier
// life of the run was doing when it ended.
func (j *TraceJournal) Open(ctx context.Context) ([]string, error) {
	steps, err := j.traces.OpenIntents(ctx, j.run)
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys, err
}

// book writes a conversation's steps to its journal, if it has one, and
// reads them there. Once an answer or a tool result is missing in the past,
// the past is over, since steps are recorded in order: nothing more is looked
// for.
type book struct {
	journal  Journal
	past     bool
	recalled int // answers and tool results
}

// begin records the opening, or checks that the run began with the same one.
// Limits may have changed, and so may what only readers of the record use.
func (b *book) begin(ctx context.Context, o Opening) error {
	b.past = b.journal != nil
	var was Opening
	found, err := b.recall(ctx, StepOpening, &was)
	if err != nil {
		return err
	}
	if !found {
		b.past = false
		return b.record(ctx, StepOpening, o, &was)
	}
	was.Limits, was.Deeds, was.Needs = o.Limits, o.Deeds, o.Needs
	if is, then := mustEncode(o), mustEncode(was); is != then {
		return fmt.Errorf("the run was recorded with another model, prompt or tools and cannot be resumed; start a new one")
	}
	return nil
}

func mustEncode(o Opening) string {
	text, err := encodeStep(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// recall reads the result with this key into v.
func (b *book) recall(ctx context.Context, key string, v any) (bool, error) {
	if !b.past {
		return false, nil
	}
	payload, found, err := b.journal.Recall(ctx, key)
	if err != nil || !found {
		return false, err
	}
	if err := json.Unmarshal(payload, v); err != nil {
		return false, fmt.Errorf("read step %s of the run: %w", key, err)
	}
	return true, nil
}

// intend records that a step is about to be taken.
func (b *book) intend(ctx context.Context, key string, v any) error {
	if b.journal == nil {
		return nil
	}
	payload, err := encodeStep(v)
	if err != nil {
		return fmt.Errorf("encode step %s: %w", key, err)
	}
	return b.journal.Intend(ctx, key, payload)
}

// record records what came of a step, and reads it back into kept, which may
// point to v: a conversation goes on with what the journal has, so that a
// resumed run sees the same bytes.
func (b *book) record(ctx context.Context, key string, v, kept any) error {
	payload, err := encodeStep(v)
	if err != nil {
		return fmt.Errorf("encode step %s: %w", key, err)
	}
	if b.journal != nil {
		if err := b.journal.Record(ctx, key, payload); err != nil {
			return err
		}
	}
	return json.Unmarshal(payload, kept)
}

func (b *book) note(ctx context.Context, key string, v any) error {
	if b.journal == nil {
		return nil
	}
	payload, err := encodeStep(v)
	if err != nil {
		return fmt.Errorf("encode step %s: %w", key, err)
	}
	return b.journal.Note(ctx, key, payload)
}

// open counts the requests to the model that an earlier life left open.
func (b *book) open(ctx context.Context) (int, error) {
	j, ok := b.journal.(interface {
		Open(ctx context.Context) ([]string, error)
	})
	if !ok {
		return 0, nil
	}
	keys, err := j.Open(ctx)
	n := 0
	for _, key := range keys {
		if strings.HasPrefix(key, "model/") {
			n++
		}
	}
	return n, err
}
