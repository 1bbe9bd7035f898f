package cache

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// tracesFormat is the format of traces.db. Steps are numbered within their run.
// Payloads are packed like the values of cache.db.
var tracesFormat = format{
	name:     "traces.db",
	id:       0x67617431, // "gat1"
	sync:     "FULL",
	precious: true,
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
		CREATE INDEX step_key ON step (run, key, kind, seq);`, noSeal},
}

// These errors are returned by Traces: ErrNoRun for an id that names no run,
// ErrNotRunning for a step of a run that has ended.
var (
	ErrNoRun      = errors.New("no such run")
	ErrNotRunning = errors.New("run is not running")
)

// Traces is traces.db. It is safe for concurrent use.
type Traces struct {
	h      *handle
	leases *leases
	opt    Options
}

// OpenTraces opens or creates traces.db in dir. It refuses a file of a newer
// git-agent. It sets a damaged file aside under a new name, with a warning, and
// copies its readable rows into the new file; it never removes the damaged file.
func OpenTraces(ctx context.Context, dir string, opt Options) (*Traces, error) {
	opt = opt.withDefaults()
	path := filepath.Join(dir, tracesFormat.name)
	h, err := openOrReplace(ctx, path, opt)
	if err != nil {
		return nil, explain(path, err)
	}
	return &Traces{h: h, leases: newLeases(path), opt: opt}, nil
}

// openOrReplace sets damaged files aside. It tries several times, because
// another process may put another file in place.
func openOrReplace(ctx context.Context, path string, opt Options) (*handle, error) {
	for range maxAside {
		was, _ := os.Lstat(path) // nil when there is none yet
		h, err := openChecked(ctx, path)
		if classify(err) != damaged {
			return h, err
		}
		if err := replaceTraces(ctx, path, was, opt, err); err != nil {
			return nil, err
		}
	}
	return tracesFormat.open(ctx, path)
}

// replaceTraces sets a damaged file aside and copies its readable rows into a new
// file.
func replaceTraces(ctx context.Context, path string, was os.FileInfo, opt Options, why error) error {
	name, err := setAside(path, was, asideDamaged, opt.now())
	if err != nil {
		return errors.Join(why, err)
	}
	if name == "" {
		return nil // another process was faster
	}
	said := fmt.Sprintf("traces %q are damaged and were kept as %q: %v", path, filepath.Base(name), why)
	if saved, err := salvage(ctx, name, path); err == nil && saved.Runs > 0 {
		said += fmt.Sprintf("; %d of its runs could be read and are in the new file", saved.Runs)
	}
	opt.Warn(said)
	return nil
}

// explain adds a hint for the user.
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

// Close closes the file. Unfinished runs count as interrupted. A nil t has
// nothing to close.
func (t *Traces) Close() error {
	if t == nil {
		return nil
	}
	return errors.Join(t.leases.close(), t.h.close())
}

// StartRun records a new run. FindRun compares specs, so a spec must contain all
// inputs of a run (cases, engine, options) and nothing that changes by itself.
func (t *Traces) StartRun(ctx context.Context, kind string, spec any) (RunID, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return "", fmt.Errorf("encode spec of a run: %w", err)
	}
	now := t.opt.now().UTC()
	id := newRunID(now)
	if err := t.leases.take(id); err != nil {
		return "", explain(t.h.path, err)
	}
	_, err = t.h.write.ExecContext(ctx,
		"INSERT INTO run (id, kind, spec, state, started, version) VALUES (?, ?, ?, ?, ?, ?)",
		string(id), kind, string(text), string(Running), now.UnixMicro(), t.opt.Version)
	if err != nil {
		return "", explain(t.h.path, err)
	}
	return id, nil
}

// newRunID returns an id with 20 random bits after the second, enough for runs
// that people start. The table refuses a repeated id.
func newRunID(now time.Time) RunID {
	var b [5]byte
	rand.Read(b[:]) // never fails, see crypto/rand
	letters := strings.ToLower(base32.StdEncoding.EncodeToString(b[:]))
	return RunID(now.Format(stamp) + "-" + letters[:4])
}

// Finish ends a run in the given state, such as Done.
func (t *Traces) Finish(ctx context.Context, run RunID, state State) error {
	if err := t.setState(ctx, run, state, t.opt.now().UnixMicro()); err != nil {
		return err
	}
	return t.leases.drop(run)
}

// Resume lets an ended or interrupted run record steps again. It returns ErrHeld
// if another process is working on the run.
func (t *Traces) Resume(ctx context.Context, run RunID) error {
	if err := t.leases.take(run); err != nil {
		return explain(t.h.path, err)
	}
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
