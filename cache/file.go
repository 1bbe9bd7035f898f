package cache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite"
)

const (
	busyTimeout = 15000 // milliseconds; another process's large prune may take this long
	readers     = 4     // connections for reading; a read takes microseconds
)

// noSeal is the migration to version 2 of both files; it does nothing. Earlier
// programs kept their data in repositories, with a table of seals to recognise
// their user's files. The table may still exist, but is never read.
const noSeal = "-- no table of seals any more"

// format describes one of the two files.
type format struct {
	name       string
	id         int32 // application_id, which identifies the file, also for file(1)
	sync       string
	migrations []string // migrations[i] leads from version i to i+1
	precious   bool     // the content cannot be computed again
}

// handle is one open database. It has several readers but one writer, because
// SQLite admits only one writer and a queue in Go is fairer than SQLite's busy
// loop.
type handle struct {
	path  string
	was   os.FileInfo // identity of the opened file, compared later
	read  *sql.DB
	write *sql.DB
	codec codec

	suspected sync.Once
}

// open opens the database at path, and creates or migrates it if necessary. For a
// current file, it does only the work that a lookup needs. It does not check the
// file's integrity, because each row has a checksum.
func (f format) open(ctx context.Context, path string) (*handle, error) {
	h, err := f.openOnce(ctx, path)
	for range maxMoveRetries {
		if !maybeMoving(err) {
			break
		}
		waitForMove(path)
		h, err = f.openOnce(ctx, path)
	}
	return h, err
}

// maxMoveRetries is how often open is retried while another process moves the
// file.
const maxMoveRetries = 3

// waitForMove waits until another process has finished setting the file aside.
func waitForMove(path string) {
	if unlock, err := lockDir(filepath.Dir(path)); err == nil {
		unlock()
	}
}

// openOnce opens the file once. It can fail with any SQLite error while another
// process sets the file aside, because the log moves before the file.
func (f format) openOnce(ctx context.Context, path string) (*handle, error) {
	was, err := identify(path)
	if errors.Is(err, os.ErrNotExist) {
		if err = f.create(ctx, path); err == nil {
			was, err = identify(path)
		}
	}
	if err != nil {
		return nil, err
	}
	h, err := f.connect(path)
	if err != nil {
		return nil, err
	}
	h.was = was
	if err := f.checkVersion(ctx, h); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// connect prepares the connections to the file at path.
func (f format) connect(path string) (*handle, error) {
	read, err := connect(path, "&_query_only=1", readers)
	if err != nil {
		return nil, err
	}
	write, err := connect(path,
		"&_auto_vacuum=INCREMENTAL&_foreign_keys=1&_journal_mode=WAL&_synchronous="+f.sync+"&_txlock=immediate", 1)
	return &handle{path: path, read: read, write: write}, err
}

// connect prepares a connection pool. No connection is made before the first
// query.
func connect(path, params string, conns int) (*sql.DB, error) {
	// The driver sets the pragmas on each connection in its own documented order,
	// busy_timeout first. trusted_schema(0) keeps the file's schema from calling
	// functions.
	dsn := fmt.Sprintf("file:%s?_busy_timeout=%d&_defensive=1&_error_rc=1&_pragma=trusted_schema(0)%s",
		(&url.URL{Path: filepath.ToSlash(path)}).EscapedPath(), busyTimeout, params)
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	return db, nil
}

// identify returns the identity of the file at path. First it checks that the
// file and SQLite's files beside it are regular, because opening a pipe would
// wait for ever and a link could redirect writes. It also makes them readable by
// their owner only. SQLite gives -wal and -shm the mode of the file.
func identify(path string) (os.FileInfo, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		part, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return nil, err
		case !part.Mode().IsRegular():
			return nil, &formError{path: path, problem: filepath.Base(path+suffix) + " is not a regular file"}
		case part.Mode().Perm() != 0o600:
			// If this call is not permitted, opening the file will show whether
			// the mode matters.
			_ = os.Chmod(path+suffix, 0o600)
		}
	}
	return info, nil
}

// create makes an empty database under a temporary name and then renames it.
// Processes that created a database in place at the same time sometimes got
// SQLITE_BUSY from the switch to WAL mode, which ignores the busy timeout (3.53,
// in 1 of 20 runs of four processes).
func (f format) create(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	removeAbandoned(path)
	file, err := newUnfinished(path)
	if err != nil {
		return err
	}
	defer file.discard() // it has its name or is of no use
	h, err := f.connect(file.path)
	if err != nil {
		return err
	}
	if err := errors.Join(f.migrate(ctx, h), h.close()); err != nil {
		return err
	}
	return publish(file.path, path)
}

// publish gives the file old the name path, unless another process has already
// made path.
func publish(old, path string) error {
	err := os.Link(old, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	return publishByRename(old, path) // some file systems have no hard links
}

// publishByRename does the same with a rename while the directory is locked,
// since the rename would replace a file that another process has published and
// perhaps already read. On a file system without locks, if two processes check at
// the same moment, the last one wins.
func publishByRename(old, path string) error {
	unlock, err := lockDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	if exists(path) {
		return nil
	}
	return os.Rename(old, path)
}

// checkVersion checks that the file is ours, finds its version, and migrates
// it. It never writes to a file of another program.
func (f format) checkVersion(ctx context.Context, h *handle) error {
	if h.was.Size() == 0 {
		return f.migrate(ctx, h)
	}
	// The version and the id are read one after the other while another process
	// may be setting them. The two reads are harmless if both values are final.
	version, err := f.version(ctx, h.read, h.path)
	if err == nil && version == len(f.migrations) {
		return nil
	}
	if version, err = f.snapshot(ctx, h); err != nil {
		return err
	}
	if version == len(f.migrations) {
		return nil
	}
	if f.precious && version > 0 {
		if err := h.backup(ctx, version); err != nil {
			return fmt.Errorf("copy before the migration: %w", err)
		}
	}
	return f.migrate(ctx, h)
}

// snapshot reads the version and the id in one transaction, so that both belong
// to the same moment. It does not use the transaction of migrate, since a
// connection with write access would switch another program's file to WAL mode.
// It ends before migrate begins, to avoid a deadlock.
func (f format) snapshot(ctx context.Context, h *handle) (int, error) {
	tx, err := h.read.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // the transaction only reads
	return f.version(ctx, tx, h.path)
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// version returns the schema's version, 0 for an empty file.
func (f format) version(ctx context.Context, db querier, path string) (int, error) {
	var version int
	var id int32
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return 0, err
	}
	switch {
	case id != f.id:
		return 0, f.empty(ctx, db, path)
	case version < 1:
		return 0, &formError{path: path, problem: "schema version is missing"}
	case version > len(f.migrations):
		return 0, &newerError{path: path, version: version, known: len(f.migrations)}
	}
	return version, nil
}

// empty returns nil if a file without our application_id is empty.
func (f format) empty(ctx context.Context, db querier, path string) error {
	var objects int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return &formError{path: path, problem: "it is a database of another program"}
	}
	return nil
}

// migrate brings the file to the current version in one transaction. Another
// process may have migrated it meanwhile, so migrate reads the version again in
// its transaction.
func (f format) migrate(ctx context.Context, h *handle) error {
	tx, err := h.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit this does nothing
	version, err := f.version(ctx, tx, h.path)
	if err != nil {
		return err
	}
	for i := version; i < len(f.migrations); i++ {
		if _, err := tx.ExecContext(ctx, f.migrations[i]); err != nil {
			return fmt.Errorf("migrate to version %d: %w", i+1, err)
		}
	}
	mark := fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", f.id, len(f.migrations))
	if _, err := tx.ExecContext(ctx, mark); err != nil {
		return err
	}
	return tx.Commit()
}

// current reports whether the path still leads to the opened file. Another
// process may have set it aside, or the user deleted it. SQLite would still write
// to the old file (3.53, in WAL mode), and those writes would be lost.
func (h *handle) current() bool {
	now, err := os.Lstat(h.path)
	return err == nil && os.SameFile(h.was, now)
}

// backup copies the file beside itself, once for each version before a migration.
func (h *handle) backup(ctx context.Context, version int) error {
	file, err := newUnfinished(h.path)
	if err != nil {
		return err
	}
	defer file.discard() // it has its name or is of no use
	if _, err := h.write.ExecContext(ctx, "VACUUM INTO ?", file.path); err != nil {
		return err
	}
	return publish(file.path, fmt.Sprintf("%s.v%d", h.path, version))
}

// close closes all connections. The last process that closes the file writes
// the log back.
func (h *handle) close() error {
	return errors.Join(h.read.Close(), h.write.Close())
}

// These are the suffixes of files that were set aside. For traces.db, a time
// follows the suffix.
const (
	asideDamaged = ".damaged"
	asideNewer   = ".newer"
	unnamed      = ".making" // an unfinished file, perhaps of a dead process
)

// isAside reports whether setAside made the name from base.
func isAside(name, base string) bool {
	suffix, ok := strings.CutPrefix(name, base)
	return ok && (strings.HasPrefix(suffix, asideDamaged) || strings.HasPrefix(suffix, asideNewer)) &&
		!strings.HasSuffix(suffix, "-wal") && !strings.HasSuffix(suffix, "-shm")
}

// setAside renames the database so that the next open starts with an empty one,
// and returns the new name. If at is set, the name contains that time and is
// unique. setAside does nothing if path is no longer the opened file, because
// another process has already set it aside.
func setAside(path string, was os.FileInfo, suffix string, at time.Time) (string, error) {
	unlock, err := lockDir(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	defer unlock()
	now, err := os.Lstat(path)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if was != nil && !os.SameFile(was, now) {
		return "", nil
	}
	aside := path + suffix
	if !at.IsZero() {
		aside += "-" + at.UTC().Format(stamp)
		for exists(aside) {
			aside += "x"
		}
	}
	// The log is renamed first: otherwise SQLite could replay it into the next
	// file. Processes with an open file keep it until they check whether it is
	// current.
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(path+part, aside+part); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	return aside, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

const stamp = "20060102-150405"
