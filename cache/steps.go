package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"git-agent/cache/record"
)

// Append records steps, all or none, and returns when they are on the disk.
func (t *Traces) Append(ctx context.Context, run RunID, steps ...Step) error {
	if !t.leases.holds(run) {
		return fmt.Errorf("%w: %q was not started or resumed here", ErrNotRunning, run)
	}
	tx, err := t.h.write.BeginTx(ctx, nil)
	if err != nil {
		return explain(t.h.path, err)
	}
	defer tx.Rollback() // after a commit this does nothing
	if err := t.append(ctx, tx, run, steps); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return explain(t.h.path, err)
	}
	return nil
}

func (t *Traces) append(ctx context.Context, tx *sql.Tx, run RunID, steps []Step) error {
	var state string
	var last int64
	err := tx.QueryRowContext(ctx,
		"SELECT state, (SELECT coalesce(max(seq), 0) FROM step WHERE run = run.id) FROM run WHERE id = ?",
		string(run)).Scan(&state, &last)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: %q", ErrNoRun, run)
	case err != nil:
		return explain(t.h.path, err)
	case State(state) != Running:
		return fmt.Errorf("%w: %q is %s", ErrNotRunning, run, state)
	}
	for i, step := range steps {
		step.Seq = last + int64(i) + 1
		if step.At.IsZero() {
			step.At = t.opt.now()
		}
		if err := t.insert(ctx, tx, run, step); err != nil {
			return explain(t.h.path, err)
		}
	}
	return nil
}

func (t *Traces) insert(ctx context.Context, tx *sql.Tx, run RunID, s Step) error {
	p := t.h.codec.pack(owner(s, run), s.Payload)
	_, err := tx.ExecContext(ctx,
		"INSERT INTO step (run, seq, kind, key, at, encoding, size, sum, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		string(run), s.Seq, string(s.Kind), s.Key, s.At.UnixMicro(), p.encoding, p.size, p.sum, p.data)
	return err
}

// owner identifies a step of a run, for the checksum of its payload.
func owner(s Step, run RunID) []byte {
	b := record.AppendString(nil, string(run))
	b = record.AppendString(b, string(s.Kind))
	b = record.AppendString(b, s.Key)
	return fmt.Appendf(b, "%d", s.Seq)
}

// Steps yields the steps of a run in order. For a damaged payload, Steps yields
// an error with the rest of the step, and continues. Any other error ends the
// sequence.
func (t *Traces) Steps(ctx context.Context, run RunID) iter.Seq2[Step, error] {
	return t.query(ctx, run, "SELECT seq, kind, key, at, encoding, size, sum, payload FROM step WHERE run = ? ORDER BY seq", string(run))
}

// OpenIntents returns the intents without a later result: the actions in progress
// when the process died.
func (t *Traces) OpenIntents(ctx context.Context, run RunID) ([]Step, error) {
	var open []Step
	for step, err := range t.query(ctx, run, `
		SELECT seq, kind, key, at, encoding, size, sum, payload FROM step AS i
		WHERE run = ? AND kind = 'intent' AND NOT EXISTS (
			SELECT 1 FROM step AS r WHERE r.run = i.run AND r.key = i.key AND r.kind = 'result' AND r.seq > i.seq)
		ORDER BY seq`, string(run)) {
		if err != nil {
			return nil, err
		}
		open = append(open, step)
	}
	return open, nil
}

// Done returns the payload of the last result with this key, and whether there is one.
func (t *Traces) Done(ctx context.Context, run RunID, key string) ([]byte, bool, error) {
	for step, err := range t.query(ctx, run, `
		SELECT seq, kind, key, at, encoding, size, sum, payload FROM step
		WHERE run = ? AND key = ? AND kind = 'result' ORDER BY seq DESC LIMIT 1`, string(run), key) {
		return step.Payload, err == nil, err
	}
	return nil, false, nil
}

func (t *Traces) query(ctx context.Context, run RunID, query string, args ...any) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		rows, err := t.h.read.QueryContext(ctx, query, args...)
		if err != nil {
			yield(Step{}, explain(t.h.path, err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			if step, err := t.scan(rows, run); !yield(step, err) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Step{}, explain(t.h.path, err))
		}
	}
}

func (t *Traces) scan(rows *sql.Rows, run RunID) (Step, error) {
	var s Step
	var p stored
	var kind string
	var at int64
	if err := rows.Scan(&s.Seq, &kind, &s.Key, &at, &p.encoding, &p.size, &p.sum, &p.data); err != nil {
		return Step{}, explain(t.h.path, err)
	}
	s.Kind, s.At = StepKind(kind), time.UnixMicro(at).UTC()
	payload, err := t.h.codec.unpack(owner(s, run), p)
	if err != nil {
		return s, fmt.Errorf("step %d of run %s: %w", s.Seq, run, err)
	}
	s.Payload = payload
	return s, nil
}
