package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/cache/record"
)

// Journal records the steps of a run, so that it can be resumed, replayed and shown. An
// action has a key that is unique in its run: call Intend before the action and Record
// after it; both return when the step is on the disk. Recall returns the result that an
// earlier process of the run recorded for a key.
type Journal interface {
	Recall(ctx context.Context, key string) (payload []byte, ok bool, err error)
	Intend(ctx context.Context, key string, payload []byte) error
	Record(ctx context.Context, key string, payload []byte) error
	Note(ctx context.Context, key string, payload []byte) error
}

// Traces stores the steps of runs. *cache.Traces implements it.
type Traces interface {
	// Done returns the last result with this key.
	Done(ctx context.Context, run record.RunID, key string) ([]byte, bool, error)
	// Append returns when the steps are on the disk.
	Append(ctx context.Context, run record.RunID, steps ...record.Step) error
	// OpenIntents returns the intents without a result.
	OpenIntents(ctx context.Context, run record.RunID) ([]record.Step, error)
}

// TraceJournal is a Journal in traces.db.
type TraceJournal struct {
	traces Traces
	run    record.RunID
}

// NewTraceJournal returns a journal that writes to a run of traces, started or resumed by
// this process.
func NewTraceJournal(traces Traces, run record.RunID) *TraceJournal {
	return &TraceJournal{traces, run}
}

// Run is the id of the run.
func (j *TraceJournal) Run() record.RunID { return j.run }

// Recall returns the last result with this key.
func (j *TraceJournal) Recall(ctx context.Context, key string) ([]byte, bool, error) {
	return j.traces.Done(ctx, j.run, key)
}

// Intend records that an action is about to start.
func (j *TraceJournal) Intend(ctx context.Context, key string, payload []byte) error {
	return j.append(ctx, record.Intent, key, payload)
}

// Record records the result of an action. It does so even if ctx has ended,
// because the result may have cost money.
func (j *TraceJournal) Record(ctx context.Context, key string, payload []byte) error {
	return j.append(context.WithoutCancel(ctx), record.Result, key, payload)
}

// Note records anything else.
func (j *TraceJournal) Note(ctx context.Context, key string, payload []byte) error {
	return j.append(context.WithoutCancel(ctx), record.Note, key, payload)
}

func (j *TraceJournal) append(ctx context.Context, kind record.StepKind, key string, payload []byte) error {
	return j.traces.Append(ctx, j.run, record.Step{Kind: kind, Key: key, Payload: payload})
}

// Open returns the keys of intents without a result: the actions during which an earlier
// process of the run died.
func (j *TraceJournal) Open(ctx context.Context) ([]string, error) {
	steps, err := j.traces.OpenIntents(ctx, j.run)
	var keys []string
	for _, s := range steps {
		keys = append(keys, s.Key)
	}
	return keys, err
}

// stepLog writes a conversation's steps to its journal, if it has one, and
// reads them. Steps are recorded in order, so once an answer or a tool result
// is missing, later steps are missing too and are not looked up.
type stepLog struct {
	journal  Journal
	past     bool
	recalled int // answers and tool results
}

// begin records the opening, or checks that the recorded opening is the same. The limits
// may differ, and so may the parts that only readers of the record use.
func (b *stepLog) begin(ctx context.Context, o Opening) error {
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
	text, err := encodeJSON(o)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// recall reads the result with this key into v.
func (b *stepLog) recall(ctx context.Context, key string, v any) (bool, error) {
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

// intend records that a step is about to start.
func (b *stepLog) intend(ctx context.Context, key string, v any) error {
	if b.journal == nil {
		return nil
	}
	payload, err := encodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode step %s: %w", key, err)
	}
	return b.journal.Intend(ctx, key, payload)
}

// record records the result of a step and decodes it again into kept, which may point to
// v. The conversation goes on with the decoded result, so that a resumed run sees the
// same bytes.
func (b *stepLog) record(ctx context.Context, key string, v, kept any) error {
	payload, err := encodeJSON(v)
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

func (b *stepLog) note(ctx context.Context, key string, v any) error {
	if b.journal == nil {
		return nil
	}
	payload, err := encodeJSON(v)
	if err != nil {
		return fmt.Errorf("encode step %s: %w", key, err)
	}
	return b.journal.Note(ctx, key, payload)
}

// open counts the requests to the model that an earlier process left without a result.
func (b *stepLog) open(ctx context.Context) (int, error) {
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
