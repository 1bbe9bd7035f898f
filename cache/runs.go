package cache

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ListOptions selects runs. The zero value selects all.
type ListOptions struct {
	Kind string
	Max  int
}

// selectRuns reads runs. It skips rows whose id is not Valid, because git-agent
// never wrote them.
const selectRuns = `SELECT id, kind, spec, state, started, coalesce(ended, 0), version,
	(SELECT count(*) FROM step WHERE run = run.id)
	FROM run WHERE id != '' AND id NOT GLOB '*[^-0-9a-z]*' AND `

// List returns runs, the newest first.
func (t *Traces) List(ctx context.Context, opt ListOptions) ([]Run, error) {
	if opt.Max <= 0 {
		opt.Max = -1 // no LIMIT
	}
	return t.runs(ctx, selectRuns+`? IN ('', kind)
		ORDER BY started DESC, id DESC LIMIT ?`, opt.Kind, opt.Max)
}

// FindRun returns the newest run of this kind and spec, in any state.
func (t *Traces) FindRun(ctx context.Context, kind string, spec any) (Run, bool, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return Run{}, false, fmt.Errorf("encode spec of a run: %w", err)
	}
	runs, err := t.runs(ctx, selectRuns+`kind = ? AND spec = ?
		ORDER BY started DESC, id DESC LIMIT 1`, kind, string(text))
	if err != nil || len(runs) == 0 {
		return Run{}, false, err
	}
	return runs[0], true, nil
}

// Lookup returns the run whose id contains name, for example its last four
// letters. An exact id wins over longer ones.
func (t *Traces) Lookup(ctx context.Context, name string) (Run, error) {
	runs, err := t.runs(ctx, selectRuns+`instr(id, ?) > 0
		ORDER BY id = ? DESC, id LIMIT 2`, name, name)
	switch {
	case err != nil:
		return Run{}, err
	case len(runs) == 0 || name == "":
		return Run{}, &Error{Path: t.h.path, Hint: "list the runs with 'git agent trace list'",
			Err: fmt.Errorf("%w: %q", ErrNoRun, name)}
	case len(runs) > 1 && !strings.EqualFold(string(runs[0].ID), name):
		return Run{}, fmt.Errorf("%q is short for several runs, such as %s and %s", name, runs[0].ID, runs[1].ID)
	}
	return runs[0], nil
}

func (t *Traces) runs(ctx context.Context, query string, args ...any) ([]Run, error) {
	rows, err := t.h.read.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, explain(t.h.path, err)
	}
	defer rows.Close()
	var runs []Run
	for rows.Next() {
		var r Run
		var id, spec, state string
		var started, ended int64
		if err := rows.Scan(&id, &r.Kind, &spec, &state, &started, &ended, &r.Version, &r.Steps); err != nil {
			return nil, explain(t.h.path, err)
		}
		r.ID, r.Spec, r.State = RunID(id), json.RawMessage(spec), State(state)
		r.Started = time.UnixMicro(started).UTC()
		if r.State == Running && !t.leases.alive(r.ID) {
			r.State = Interrupted
		}
		if ended != 0 {
			r.Ended = time.UnixMicro(ended).UTC()
		}
		runs = append(runs, r)
	}
	if err := rows.Err(); err != nil {
		return nil, explain(t.h.path, err)
	}
	return runs, nil
}
