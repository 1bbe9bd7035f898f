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
	busyTimeout = 15000 // milliseconds, as long as a large prune of another process may take
	readers     = 4     // connections; a read takes microseconds
)

// noSeal is the second version of both files. Earlier programs, which kept their data in
// repositories, had a table in it by which they knew their user's files; where there is
// one, nothing reads it.
const noSeal = "-- no table of seals any more"

// format is what the two files differ in.
type format struct {
	name       string
	id         int32 // application_id, so that file(1) and we know whose file it is
	sync       string
	migrations []string // migrations[i] leads from version i to i+1
	precious   bool     // what is in the file cannot be computed again
}

// handle is one open database: several readers, and one writer because SQLite has room
// for one only and a queue in Go is fairer than its busy loop.
type handle struct {
	path  string
	was   os.FileInfo // the file that was opened, to recognise it later
	read  *sql.DB
	write *sql.DB
	codec codec

	suspected sync.Once
}

// open returns the database at path, created and brought to the current version if need
// be. It does no more than a lookup needs when the file is current: there is no check of
// integrity, because each row carries its own.
func (f format) open(ctx context.Context, path string) (*handle, error) {
	h, err := f.openOnce(ctx, path)
	for range maxUnsettled {
		if !unsettled(err) {
			break
		}
		settle(path)
		h, err = f.openOnce(ctx, path)
	}
	return h, err
}

// maxUnsettled is how often an open is tried again that met with files on the move.
const maxUnsettled = 3

// settle returns when whoever was setting the file aside has done so.
func settle(path string) {
	if unlock, err := lockDir(filepath.Dir(path)); err == nil {
		unlock()
	}
}

// openOnce fails with any error of SQLite's when the file is set aside by another process
// at the same time: its log is moved before it is.
func (f format) openOnce(ctx context.Context, path string) (*handle, error) {
	was, err := claim(path)
	if errors.Is(err, os.ErrNotExist) {
		if err = f.create(ctx, path); err == nil {
			was, err = claim(path)
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
	if err := f.ready(ctx, h); err != nil {
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

// connect prepares a pool; no connection is made before its first query.
func connect(path, params string, conns int) (*sql.DB, error) {
	// SQLite sets the pragmas on each connection, in the order that the driver documents
	// and not in this one: busy_timeout first. The schema of a file is not trusted to
	// call functions.
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

// claim returns the identity of the file at path after making sure that it and what SQLite
// has beside it are regular files that only their owner can read, and can: to open a pipe would
// wait for ever, and a link could lead writes to anywhere. SQLite gives -wal and -shm the
// mode of the file.
func claim(path string) (os.FileInfo, error) {
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
			// Not being allowed to do so is no reason to stop: opening will tell.
			_ = os.Chmod(path+suffix, 0o600)
		}
	}
	return info, nil
}

// create makes an empty database under another name and then gives it its own. Processes
// that made one in place at the same time got SQLITE_BUSY at once from the switch to WAL
// mode (3.53, in 1 of 20 runs of four processes), for which the busy timeout is not used.
func (f format) create(ctx context.Context, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	sweep(path)
	file, err := unfinished(path)
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
	return name(file.path, path)
}

// name gives the file old the name path, unless another process was faster.
func name(old, path string) error {
	err := os.Link(old, path)
	if err == nil || errors.Is(err, os.ErrExist) {
		return nil
	}
	return renameFirst(old, path) // there are file systems without links
}

// renameFirst is name with the directory locked, since a rename would replace what another
// process has named and perhaps read already. Where locks are unknown too, the last of two
// that look at the same moment wins.
func renameFirst(old, path string) error {
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

// ready checks whose file it is and which version it has, and migrates it. A stranger's
// file is not written to.
func (f format) ready(ctx context.Context, h *handle) error {
	if h.was.Size() == 0 {
		return f.migrate(ctx, h)
	}
	// The marks are read one by one while another process may be setting them, which
	// does no harm if they turn out to be the final ones.
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

// snapshot returns the version in a transaction, where the marks are of one moment. It is
// not yet the one of migrate, since a connection that can write would turn a stranger's
// file into WAL mode; and it has ended before migrate begins, or they would lock each
// other out.
func (f format) snapshot(ctx context.Context, h *handle) (int, error) {
	tx, err := h.read.BeginTx(ctx, nil)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // it has only read
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

// empty returns nil for a file without our mark if nothing is in it.
func (f format) empty(ctx context.Context, db querier, path string) error {
	var objects int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return &formError{path: path, problem: "a database of another program"}
	}
	return nil
}

// migrate brings the file to the current version in one transaction. Another process may
// have done so since version looked, so it looks again inside.
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

// current tells whether the path still leads to the file that is open. Another process may
// have set it aside, or the user deleted it. SQLite would go on writing to it (3.53, in WAL
// mode), and what was written would be lost.
func (h *handle) current() bool {
	now, err := os.Lstat(h.path)
	return err == nil && os.SameFile(h.was, now)
}

// backup copies the file beside itself, once for each version that is left behind.
func (h *handle) backup(ctx context.Context, version int) error {
	file, err := unfinished(h.path)
	if err != nil {
		return err
	}
	defer file.discard() // it has its name or is of no use
	if _, err := h.write.ExecContext(ctx, "VACUUM INTO ?", file.path); err != nil {
		return err
	}
	return name(file.path, fmt.Sprintf("%s.v%d", h.path, version))
}

// close ends all connections. The last of all processes writes the log back.
func (h *handle) close() error {
	return errors.Join(h.read.Close(), h.write.Close())
}

// The suffixes of files that were set aside. Those of traces.db go on with the time.
const (
	asideDamaged = ".damaged"
	asideNewer   = ".newer"
	unnamed      = ".making" // left by a process that died while it made a file
)

// isAside tells whether name is a file that setAside has made of base.
func isAside(name, base string) bool {
	suffix, ok := strings.CutPrefix(name, base)
	return ok && (strings.HasPrefix(suffix, asideDamaged) || strings.HasPrefix(suffix, asideNewer)) &&
		!strings.HasSuffix(suffix, "-wal") && !strings.HasSuffix(suffix, "-shm")
}

// setAside renames the database so that the next open starts empty, and returns its new
// name: with a time in it, a name that no other file has or had. It leaves alone a file
// that is no longer the one which was opened: another process has set that aside already.
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
	// The log goes first. Left behind, it could be replayed into the next file. Processes
	// that have the file open keep it until they look whether it is current.
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
