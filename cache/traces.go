package cache

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tracesFormat: a step's number counts within its run. Payloads are packed like values.
var tracesFormat = format{
	name: "traces.db",
	id:   0x67617431, // "gat1"
	sync: "FULL",
	migrations: []string{`
		CREATE TABLE run (
			id      TEXT    PRIMARY KEY,
			kind    TEXT    NOT NULL,
			spec    TEXT    NOT NULL, -- JSON
			state   TEXT    NOT NULL,
			started INTEGER NOT NULL, -- microseconds since 1970
			ended   INTEGER,
			version TEXT    NOT NULL  -- of the tool
		) STRICT, WITHOUT ROWID;
		CREATE INDEX run_started ON run (started);
		CREATE TABLE step (
			run      TEXT    NOT NULL REFERENCES run (id),
			seq      INTEGER NOT NULL,
			kind     TEXT    NOT NULL CHECK (kind IN ('intent', 'result', 'note')),
			key      TEXT    NOT NULL,
			at       INTEGER NOT NULL, -- microseconds since 1970
			encoding INTEGER NOT NULL,
			size     INTEGER NOT NULL, -- before compression
			sum      BLOB    NOT NULL,
			payload  BLOB    NOT NULL
		) STRICT;
		CREATE UNIQUE INDEX step_order ON step (run, seq);
		CREATE INDEX step_key ON step (run, key, kind, seq);`},
}

// RunID names a run: the time of its start (UTC) and four letters, which sorts by time
// and can be read aloud. Lookup also takes any part of it that is unique.
type RunID string

// State is where a run stands.
type State string

const (
	Running State = "running" // or its process died
	Done    State = "done"
	Stopped State = "stopped" // by a limit or by the user; it can be resumed
	Failed  State = "failed"
)

// Run is one run without its steps.
type Run struct {
	ID      RunID
	Kind    string
	Spec    json.RawMessage
	State   State
	Started time.Time
	Ended   time.Time // zero while it runs
	Version string    // of the tool that started it
	Steps   int
}

// StepKind says what a step records.
type StepKind string

const (
	Intent StepKind = "intent" // something is about to be done
	Result StepKind = "result" // it was done, and this came of it
	Note   StepKind = "note"   // anything else worth keeping
)

// Step is one event of a run. Intent and result of one action have the same key; an
// action that is tried again has a second intent with it.
type Step struct {
	Seq     int64 // from 1, set by Append
	Kind    StepKind
	Key     string
	Payload []byte
	At      time.Time // set by Append if zero
}

// ErrNoRun is returned for an id that names no run, and ErrNotRunning for a step that
// would come after the end of its run.
var (
	ErrNoRun      = errors.New("no such run")
	ErrNotRunning = errors.New("run is not running")
)

// Traces is traces.db. It is safe for concurrent use.
type Traces struct {
	h     *handle
	opt   Options
	codec codec
}

// OpenTraces opens or creates traces.db in dir. A file of a newer git-agent is refused; a
// damaged one is set aside under a new name, with a warning, and never removed.
func OpenTraces(ctx context.Context, dir string, opt Options) (*Traces, error) {
	opt = opt.withDefaults()
	dir, err := place(dir, opt, userStateDir, opt.Warn)
	if err != nil {
		return nil, &Error{Path: filepath.Join(dir, tracesFormat.name), Err: err,
			Hint: "set XDG_STATE_HOME to a directory on a local file system"}
	}
	path := filepath.Join(dir, tracesFormat.name)
	h, err := tracesFormat.open(ctx, path)
	if classify(err) == damaged {
		if h, err = replaceTraces(ctx, path, opt, err); err != nil {
			return nil, explain(path, err)
		}
	}
	if err != nil {
		return nil, explain(path, err)
	}
	return &Traces{h: h, opt: opt}, nil
}

func replaceTraces(ctx context.Context, path string, opt Options, why error) (*handle, error) {
	was, _ := os.Lstat(path) // setAside reports a file that is gone
	name, err := setAside(path, was, asideDamaged+"-"+opt.now().UTC().Format(stamp))
	if err != nil {
		return nil, errors.Join(why, err)
	}
	opt.Warn(fmt.Sprintf("traces %q are damaged and were kept as %q: %v", path, filepath.Base(name), why))
	return tracesFormat.open(ctx, path)
}

const stamp = "20060102-150405"

// explain adds what the user can do.
func explain(path string, err error) error {
	e := &Error{Path: path, Err: err}
	switch classify(err) {
	case newer:
		e.Hint = "update git-agent, or move the file away"
	case damaged:
		e.Hint = "run 'git agent cache verify'"
	case denied:
		e.Hint = "check the free space and the permissions of the directory"
	case passing:
		e.Hint = "another git-agent holds the file; try again"
	}
	return e
}

// Close closes the file.
func (t *Traces) Close() error { return t.h.close() }

// StartRun records a new run. The spec is what Find compares, so it holds all that makes
// two runs the same: cases, engine, options, and nothing that changes by itself.
func (t *Traces) StartRun(ctx context.Context, kind string, spec any) (RunID, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("encode spec of a run: %w", err)
	}
	now := t.opt.now().UTC()
	id := newRunID(now)
	_, err = t.h.write.ExecContext(ctx,
		"INSERT INTO run (id, kind, spec, state, started, version) VALUES (?, ?, ?, ?, ?, ?)",
		string(id), kind, string(text), string(Running), now.UnixMicro(), t.opt.Version)
	if err != nil {
		return "", explain(t.h.path, err)
	}
	return id, nil
}

// newRunID has 20 random bits after the second, enough for runs that people start. The
// table refuses a repeated id.
func newRunID(now time.Time) RunID {
	var b [5]byte
	rand.Read(b[:]) // never fails, see crypto/rand
	letters := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
	return RunID(now.Format(stamp) + "-" + letters[:4])
}

// Append records steps, all or none, and returns when they are on the disk.
func (t *Traces) Append(ctx context.Context, run RunID, steps ...Step) error {
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
	p := t.codec.pack(s.owner(run), s.Payload)
	_, err := tx.ExecContext(ctx,
		"INSERT INTO step (run, seq, kind, key, at, encoding, size, sum, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		string(run), s.Seq, string(s.Kind), s.Key, s.At.UnixMicro(), p.encoding, p.size, p.sum, p.data)
	return err
}

// owner is what the checksum of a payload is bound to.
func (s Step) owner(run RunID) []byte {
	b := appendString(nil, string(run))
	b = appendString(b, string(s.Kind))
	b = appendString(b, s.Key)
	return fmt.Appendf(b, "%d", s.Seq)
}

// Finish ends a run in the given state.
func (t *Traces) Finish(ctx context.Context, run RunID, state State) error {
	return t.setState(ctx, run, state, t.opt.now().UnixMicro())
}

// Resume makes a run that has ended, or whose process died, take steps again.
func (t *Traces) Resume(ctx context.Context, run RunID) error {
	return t.setState(ctx, run, Running, nil)
}

func (t *Traces) setState(ctx context.Context, run RunID, state State, ended any) error {
	done, err := t.h.write.ExecContext(ctx,
		"UPDATE run SET state = ?, ended = ? WHERE id = ?", string(state), ended, string(run))
	if err != nil {
		return explain(t.h.path, err)
	}
	if n, err := done.RowsAffected(); err == nil && n == 0 {
		return fmt.Errorf("%w: %q", ErrNoRun, run)
	}
	return nil
}

// Steps yields the steps of a run in order. After an error it yields nothing more, except
// that a damaged payload is reported with the rest of its step and the next one follows.
func (t *Traces) Steps(ctx context.Context, run RunID) iter.Seq2[Step, error] {
	return t.query(ctx, run, "SELECT seq, kind, key, at, encoding, size, sum, payload FROM step WHERE run = ? ORDER BY seq", string(run))
}

// OpenIntents returns the intents that no result follows: what was being done when the
// process died.
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
	payload, err := t.codec.unpack(s.owner(run), p)
	if err != nil {
		return s, fmt.Errorf("step %d of run %s: %w", s.Seq, run, err)
	}
	s.Payload = payload
	return s, nil
}
