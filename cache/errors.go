package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// Error is a failure of traces.db that the user can act on.
type Error struct {
	Path string
	Hint string // a command or a setting
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%q: %v", e.Path, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// newerError says that a newer git-agent has written the file.
type newerError struct {
	path           string
	version, known int
}

func (e *newerError) Error() string {
	return fmt.Sprintf("it has schema version %d; this git-agent knows versions up to %d", e.version, e.known)
}

// formError says that a file belongs to another program or is not a regular file.
type formError struct{ path, problem string }

func (e *formError) Error() string { return e.problem }

// errorClass is the class of an error, which decides its handling.
type errorClass int

const (
	other   errorClass = iota // give up for this process
	passing                   // the caller's context, or a lock held too long: try later
	damaged                   // the file's content is wrong: set it aside
	newer                     // written by a newer git-agent: set it aside
	moved                     // another process has set it aside: open again
	denied                    // it cannot be written: full disk, permissions
)

func classify(err error) errorClass {
	var form *formError
	var version *newerError
	var engine *sqlite.Error
	var page *codeError
	switch {
	case errors.As(err, &page):
		return classifyCode(page.code)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return passing
	case errors.As(err, &version):
		return newer
	case errors.As(err, &form):
		return damaged
	case errors.As(err, &engine):
		return classifyCode(engine.Code())
	case errors.Is(err, os.ErrPermission):
		return denied
	case errors.Is(err, sql.ErrNoRows):
		return damaged // from a query that always has a row
	}
	return other
}

// A codeError is a result code of SQLite found in a text.
type codeError struct {
	code int
	text string
}

func (e *codeError) Error() string { return e.text }

// maybeMoving reports whether an error may have occurred because another process
// was moving the files: an existing file could suddenly not be opened or read, or
// ended early.
func maybeMoving(err error) bool {
	var engine *sqlite.Error
	if !errors.As(err, &engine) {
		return false
	}
	primary := engine.Code() & 0xff
	return primary == lib.SQLITE_IOERR || primary == lib.SQLITE_CANTOPEN
}

// classifyCode classifies SQLite's result codes. Our statements are correct (the
// tests run all of them), so an error in a statement means a wrong schema of the
// file.
func classifyCode(code int) errorClass {
	switch code {
	case lib.SQLITE_READONLY_DBMOVED:
		return moved
	case lib.SQLITE_IOERR_SHORT_READ, lib.SQLITE_IOERR_DATA:
		return damaged // the file ends early, which is no disk error
	case lib.SQLITE_IOERR_CORRUPTFS:
		return denied // a read failed (EIO): the next one may succeed, so the file stays
	}
	switch code & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_INTERRUPT:
		return passing
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_ERROR, lib.SQLITE_FORMAT,
		lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH, lib.SQLITE_SCHEMA:
		return damaged
	case lib.SQLITE_FULL, lib.SQLITE_READONLY, lib.SQLITE_CANTOPEN, lib.SQLITE_IOERR, lib.SQLITE_PERM:
		return denied
	}
	return other
}
