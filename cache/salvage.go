package cache

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

const (
	// alwaysChecked is the size up to which a file is checked at every opening,
	// which takes 9 ms for 10 MB and 0.1 s for 100 MB. A larger file is checked
	// only if a log is beside it: the last process that closes the file removes
	// the log, but a killed process does not.
	alwaysChecked = 64 << 20
	// checkTime bounds a check; the unread rest of the file counts as sound.
	checkTime = 5 * time.Second
)

// openChecked opens traces.db and lets SQLite check its structure, since damage
// found in the middle of a run would cost the rest of the recording.
func openChecked(ctx context.Context, path string) (*handle, error) {
	size, left := sizeOf(path), sizeOf(path+"-wal")
	h, err := tracesFormat.open(ctx, path)
	if err != nil || size > alwaysChecked && left == 0 {
		return h, err
	}
	limited, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	r := Report{}
	if err = h.structure(limited, &r); err == nil && len(r.Problems) > 0 {
		// Some rows do not distinguish a failed read from damage. Only damage
		// persists at the second check.
		r = Report{}
		err = h.structure(limited, &r)
	}
	if err == nil && len(r.Problems) > 0 {
		err = &formError{path: path, problem: "its structure is damaged: " + r.Problems[0]}
	}
	if classify(err) == damaged {
		return nil, errors.Join(err, h.close())
	}
	return h, nil // the structure is sound, or could not be checked in time
}

// Copied counts the rows copied from another file.
type Copied struct {
	Runs    int64
	Steps   int64
	Known   int64 // runs that the target already had
	Damaged int64 // runs that were left out, and steps that were copied as damaged
}

// salvage copies the readable rows of a damaged file. A read ends at the first
// damaged page, so salvage reads the rows from both ends.
func salvage(ctx context.Context, from, to string) (Copied, error) {
	if _, err := identify(from); err != nil {
		return Copied{}, err // not a regular file
	}
	old, err := tracesFormat.connect(from)
	if err != nil {
		return Copied{}, err
	}
	defer old.close() // it was only read
	if _, err := tracesFormat.snapshot(ctx, old); err != nil {
		return Copied{}, err
	}
	return copyRuns(ctx, old, to, bounds{tolerant: true})
}

// bounds limits the data that a copy accepts.
type bounds struct {
	tolerant bool  // skip damaged data instead of failing
	ended    bool  // mark every run as ended, so that none can be resumed
	text     int64 // bytes of each text, 0 for any number
	payload  int64 // bytes of each payload
	rows     int64
}

// transfer is one copy in progress. It reads the old file row by row, so that its
// schema does not affect the new file.
type transfer struct {
	old  *handle
	tx   *sql.Tx // on our file
	to   *handle
	runs map[string]bool
	seen int64 // rows read
	bounds
	done Copied
}

// errTooMuch ends a copy that exceeds a bound.
var errTooMuch = errors.New("the file holds more runs and steps than git-agent imports")

// copyRuns copies the runs into the file at path, all of them or, on an error,
// none.
func copyRuns(ctx context.Context, old *handle, path string, b bounds) (Copied, error) {
	to, err := tracesFormat.open(ctx, path)
	if err != nil {
		return Copied{}, err
	}
	defer to.close() // only the commit matters
	tx, err := to.write.BeginTx(ctx, nil)
	if err != nil {
		return Copied{}, err
	}
	defer tx.Rollback() // after a commit this does nothing
	t := &transfer{old: old, tx: tx, to: to, runs: map[string]bool{}, bounds: b}
	for _, part := range []struct {
		query string
		take  func(context.Context, *sql.Rows) error
	}{
		{"SELECT " + runColumns + " FROM run ORDER BY id", t.takeRun},
		{"SELECT " + stepColumns + " FROM step ORDER BY rowid", t.takeStep},
	} {
		if err := t.each(ctx, part.query, part.take); err != nil {
			return Copied{}, err
		}
	}
	return t.done, tx.Commit()
}

const (
	runColumns  = "id, kind, spec, state, started, ended, version"
	stepColumns = "run, seq, kind, key, at, encoding, size, sum, payload"
)

// each passes the rows of the old file to take. In a damaged file, it continues
// from the other end after a failure.
func (t *transfer) each(ctx context.Context, query string, take func(context.Context, *sql.Rows) error) error {
	err := t.all(ctx, query, take)
	if !t.tolerant || classify(err) != damaged {
		return err
	}
	if err = t.all(ctx, query+" DESC", take); classify(err) == damaged {
		return nil
	}
	return err
}

func (t *transfer) all(ctx context.Context, query string, take func(context.Context, *sql.Rows) error) error {
	rows, err := t.old.read.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if t.seen++; t.rows > 0 && t.seen > t.rows {
			return errTooMuch
		}
		if err := take(ctx, rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// insert adds a row unless its key exists, and reports whether it did.
func (t *transfer) insert(ctx context.Context, statement string, args ...any) (bool, error) {
	done, err := t.tx.ExecContext(ctx, statement, args...)
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// takeRun copies a run that our file lacks. Only steps of copied runs are copied
// later.
func (t *transfer) takeRun(ctx context.Context, rows *sql.Rows) error {
	var id, kind, spec, state, version string
	var started int64
	var ended sql.NullInt64
	if err := rows.Scan(&id, &kind, &spec, &state, &started, &ended, &version); err != nil {
		t.done.Damaged++
		return nil
	}
	if t.runs[id] {
		return nil // already read from the other end
	}
	if !RunID(id).Valid() || t.text > 0 && int64(len(id)+len(kind)+len(spec)+len(state)+len(version)) > t.text {
		t.done.Damaged++
		return nil
	}
	if t.ended && (State(state) == Running || !ended.Valid) {
		state, ended = string(Stopped), sql.NullInt64{Int64: started, Valid: true}
	}
	isNew, err := t.insert(ctx, "INSERT OR IGNORE INTO run ("+runColumns+") VALUES (?, ?, ?, ?, ?, ?, ?)",
		id, kind, spec, state, started, ended, version)
	if isNew {
		t.runs[id] = true
		t.done.Runs++
	} else if err == nil {
		t.done.Known++
	}
	return err
}

// takeStep copies a step. A step with a wrong checksum stays damaged in the
// copy, so that the run shows a gap.
func (t *transfer) takeStep(ctx context.Context, rows *sql.Rows) error {
	var run, kind string
	var at int64
	var step Step
	var s stored
	if err := rows.Scan(&run, &step.Seq, &kind, &step.Key, &at, &s.encoding, &s.size, &s.sum, &s.data); err != nil {
		t.done.Damaged++
		return nil
	}
	step.Kind = StepKind(kind)
	if !t.runs[run] || step.Kind != Intent && step.Kind != Result && step.Kind != Note {
		return nil
	}
	if t.text > 0 && int64(len(step.Key)) > t.text {
		t.done.Damaged++
		return nil
	}
	whole := s.check(owner(step, RunID(run))) == nil && t.admits(s)
	if !whole {
		s = stored{encoding: plain, sum: []byte{}, data: []byte{}}
	}
	isNew, err := t.insert(ctx, "INSERT OR IGNORE INTO step ("+stepColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		run, step.Seq, kind, step.Key, at, s.encoding, s.size, s.sum, s.data)
	switch {
	case isNew && !whole:
		t.done.Damaged++
	case isNew:
		t.done.Steps++
	}
	return err
}

// admits reports whether a payload is within the bounds, both compressed and
// decompressed.
func (t *transfer) admits(s stored) bool {
	switch {
	case t.payload == 0:
		return true
	case s.size > t.payload || int64(len(s.data)) > t.payload:
		return false
	}
	return s.encoding == plain || decodesTo(s.data, s.size)
}
