package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
)

// maxProblems bounds the problems in a report; further ones add nothing.
const maxProblems = 20

// Report is the result of a verification.
type Report struct {
	Path     string
	Entries  int64    // checked values or steps
	Damaged  int64    // entries with a wrong checksum
	Problems []string // descriptions; empty if the file is sound
}

func (r *Report) problem(format string, args ...any) {
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf(format, args...))
	}
}

// Verify checks the structure of cache.db and the checksum of every value. It
// changes nothing. Damage is listed in the report and is not an error.
func (c *Cache) Verify(ctx context.Context) (Report, error) {
	if c.dir == "" {
		return Report{}, c.unavailable()
	}
	return verify(ctx, c.dir, cacheFormat, cacheRows)
}

// VerifyTraces does the same for traces.db.
func VerifyTraces(ctx context.Context, dir string) (Report, error) {
	return verify(ctx, dir, tracesFormat, tracesRows)
}

// rowReader reads the rows of a file to be checked.
type rowReader struct {
	query string
	// read scans one row and returns its name, its value, and the owner for the
	// value's checksum.
	read func(scan func(...any) error) (name string, owner []byte, s stored, err error)
}

var cacheRows = rowReader{
	query: "SELECT key, kind, encoding, size, sum, value FROM entry ORDER BY id",
	read: func(scan func(...any) error) (string, []byte, stored, error) {
		var key []byte
		var kind string
		var s stored
		err := scan(&key, &kind, &s.encoding, &s.size, &s.sum, &s.data)
		return fmt.Sprintf("entry %.6x (%s)", key, kind), key, s, err
	},
}

var tracesRows = rowReader{
	query: "SELECT run, seq, kind, key, encoding, size, sum, payload FROM step ORDER BY run, seq",
	read: func(scan func(...any) error) (string, []byte, stored, error) {
		var run, kind string
		var step Step
		var s stored
		err := scan(&run, &step.Seq, &kind, &step.Key, &s.encoding, &s.size, &s.sum, &s.data)
		step.Kind = StepKind(kind)
		return fmt.Sprintf("step %d of run %s", step.Seq, run), owner(step, RunID(run)), s, err
	},
}

func verify(ctx context.Context, dir string, f format, rows rowReader) (Report, error) {
	r := Report{Path: filepath.Join(dir, f.name)}
	if _, err := os.Lstat(r.Path); os.IsNotExist(err) {
		return r, nil
	}
	h, err := f.open(ctx, r.Path)
	if err == nil {
		defer h.close()
		err = h.verify(ctx, rows, &r)
	}
	switch classify(err) {
	case damaged, newer:
		r.problem("%v", err)
		return r, nil
	}
	if err != nil {
		return r, explain(r.Path, err)
	}
	return r, nil
}

func (h *handle) verify(ctx context.Context, reader rowReader, r *Report) error {
	if err := h.structure(ctx, r); err != nil {
		return err
	}
	rows, err := h.read.QueryContext(ctx, reader.query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		name, owner, s, err := reader.read(rows.Scan)
		if err != nil {
			return err
		}
		r.Entries++
		if err := s.check(owner); err != nil {
			r.Damaged++
			r.problem("%s: %v", name, err)
		}
	}
	return rows.Err()
}

// structure runs SQLite's integrity check, which returns one row "ok" or one row
// for each problem. An unreadable page is no problem of the file but an error of
// the system, such as EIO.
func (h *handle) structure(ctx context.Context, r *Report) error {
	rows, err := h.read.QueryContext(ctx, "PRAGMA integrity_check")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if err := pageError(text); err != nil && classify(err) != damaged {
			return err
		}
		if text != "ok" {
			r.problem("%s", text)
		}
	}
	return rows.Err()
}

// codeInText finds SQLite's result code in a row of the integrity check.
var codeInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`unable to get the page\. error code=(\d+)`)
})

// pageError returns the error in a row of the integrity check, or nil.
func pageError(text string) error {
	m := codeInText().FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	code, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	return &codeError{code, text}
}
