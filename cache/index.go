package cache

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// indexFormat is the format of index.db: numbered parts of several kinds, with contents from the
// caller. A part is compressed and has a checksum, like the entries of cache.db.
var indexFormat = format{
	name: "index.db",
	id:   0x67616931, // "gai1"
	sync: "NORMAL",
	migrations: []string{`
		CREATE TABLE part (
			id       INTEGER PRIMARY KEY, -- kind and number
			encoding INTEGER NOT NULL,
			size     INTEGER NOT NULL, -- before compression
			sum      BLOB    NOT NULL,
			value    BLOB    NOT NULL
		) STRICT;`},
}

// PartKind is the kind of a part. It is part of the file format.
type PartKind uint8

// PartKey identifies a part; numbers begin at 0.
type PartKey struct {
	Kind PartKind
	Num  uint32
}

func (k PartKey) id() int64 { return int64(k.Kind)<<32 | int64(k.Num) }

func (k PartKey) owner() []byte { return binary.BigEndian.AppendUint64(nil, uint64(k.id())) }

// ErrNoIndex is returned for a folder without an index.
var ErrNoIndex = errors.New("there is no index")

// IndexPath returns the path of the index in dir.
func IndexPath(dir string) string { return filepath.Join(dir, indexFormat.name) }

// IndexSize returns the size of the index in dir on the disk, in bytes, 0 if there is none.
func IndexSize(dir string) int64 {
	var bytes int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Lstat(filepath.Join(dir, indexFormat.name) + suffix); err == nil {
			bytes += info.Size()
		}
	}
	return bytes
}

// An IndexReader reads a snapshot of the parts of an index, unaffected by other processes'
// writes. It is safe for concurrent use.
type IndexReader struct {
	h  *handle
	tx *sql.Tx
}

// OpenIndex opens the index in dir for reading. Without one it returns ErrNoIndex.
func OpenIndex(ctx context.Context, dir string) (*IndexReader, error) {
	path := filepath.Join(dir, indexFormat.name)
	if _, err := os.Lstat(path); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = ErrNoIndex
		}
		return nil, err
	}
	h, err := indexFormat.open(ctx, path)
	if err != nil {
		return nil, err
	}
	h.codec.parallel = runtime.GOMAXPROCS(0)
	tx, err := h.read.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return &IndexReader{h: h, tx: tx}, nil
}

// Close ends the reading.
func (x *IndexReader) Close() error { return errors.Join(x.tx.Rollback(), x.h.close()) }

// A Part is a stored part.
type Part struct {
	Key PartKey
	s   stored
	c   *codec
}

// Value returns the content. Several goroutines may unpack parts at the same time.
func (p Part) Value() ([]byte, error) {
	value, err := p.c.unpack(p.Key.owner(), p.s)
	if err != nil {
		return nil, fmt.Errorf("the index is damaged: part %d of kind %d: %w", p.Key.Num, p.Key.Kind, err)
	}
	return value, nil
}

// Read returns a part. Its error for a part that does not exist is fs.ErrNotExist.
func (x *IndexReader) Read(ctx context.Context, key PartKey) (Part, error) {
	return readPart(ctx, x.tx, &x.h.codec, key)
}

func readPart(ctx context.Context, db querier, c *codec, key PartKey) (Part, error) {
	p := Part{Key: key, c: c}
	err := db.QueryRowContext(ctx, "SELECT encoding, size, sum, value FROM part WHERE id = ?", key.id()).
		Scan(&p.s.encoding, &p.s.size, &p.s.sum, &p.s.data)
	if errors.Is(err, sql.ErrNoRows) {
		err = fs.ErrNotExist
	}
	return p, err
}

// Get returns the content of a part.
func (x *IndexReader) Get(ctx context.Context, key PartKey) ([]byte, error) {
	p, err := x.Read(ctx, key)
	if err != nil {
		return nil, err
	}
	return p.Value()
}

// An IndexWriter replaces and adds parts. Only one process at a time can have one.
type IndexWriter struct {
	h    *handle
	lock *os.File
}

// WriteIndex opens the index in dir for writing, and creates it if necessary. While another
// process writes the index, the error is ErrHeld. An index that is damaged or from a newer
// program is replaced by an empty one, because it can be computed again.
func WriteIndex(ctx context.Context, dir string) (*IndexWriter, error) {
	path := filepath.Join(dir, indexFormat.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	h, err := indexFormat.open(ctx, path)
	if what := classify(err); err != nil && (what == damaged || what == newer) {
		if err = removeIndexFiles(path); err == nil {
			h, err = indexFormat.open(ctx, path)
		}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	h.codec.parallel = runtime.GOMAXPROCS(0)
	return &IndexWriter{h: h, lock: lock}, nil
}

// Close ends the writing. Stored parts stay.
func (w *IndexWriter) Close() error {
	return errors.Join(w.h.close(), w.lock.Close())
}

// Get returns the content of a part.
func (w *IndexWriter) Get(ctx context.Context, key PartKey) ([]byte, error) {
	p, err := readPart(ctx, w.h.read, &w.h.codec, key)
	if err != nil {
		return nil, err
	}
	return p.Value()
}

// NewPart packs a part for Store. Several goroutines may do so at the same time.
func (w *IndexWriter) NewPart(key PartKey, value []byte) Part {
	return Part{Key: key, c: &w.h.codec, s: w.h.codec.pack(key.owner(), value)}
}

// Store writes parts and removes others, in one transaction.
func (w *IndexWriter) Store(ctx context.Context, parts []Part, remove []PartKey) error {
	tx, err := w.h.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit this does nothing
	for _, key := range remove {
		if _, err := tx.ExecContext(ctx, "DELETE FROM part WHERE id = ?", key.id()); err != nil {
			return err
		}
	}
	for _, p := range parts {
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO part (id, encoding, size, sum, value) VALUES (?, ?, ?, ?, ?)",
			p.Key.id(), p.s.encoding, p.s.size, p.s.sum, p.s.data); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Clear removes all parts, and returns their space to the file system.
func (w *IndexWriter) Clear(ctx context.Context) error {
	if _, err := w.h.write.ExecContext(ctx, "DELETE FROM part"); err != nil {
		return err
	}
	_, err := w.h.write.ExecContext(ctx, "VACUUM")
	return err
}

// RemoveIndex removes the index in dir. While another process writes the index, the error is
// ErrHeld.
func RemoveIndex(dir string) error {
	path := filepath.Join(dir, indexFormat.name)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	return errors.Join(removeIndexFiles(path), os.Remove(lock.Name()), lock.Close())
}

func removeIndexFiles(path string) error {
	var failed error
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
