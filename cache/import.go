package cache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"

	"github.com/klauspost/compress/zstd"
)

// These constants bound the data that ImportTraces copies.
const (
	maxImport        = 2 << 30  // bytes of the file, and of its log
	maxImportRows    = 2 << 20  // runs and steps
	maxImportText    = 1 << 20  // bytes of a run's texts, or of a step's key
	maxImportPayload = 64 << 20 // bytes of a step, decompressed
)

// ImportTraces copies the runs of the traces.db in the directory old into the one
// in dir. old is below a git directory and may have come with an archive, so its
// file is treated as hostile: it is copied before SQLite opens it, it must have
// exactly the tables of git-agent, and its runs cannot be resumed. Existing runs
// in dir stay unchanged. The old file is not changed.
func ImportTraces(ctx context.Context, old, dir string, opt Options) (Copied, error) {
	path := filepath.Join(dir, tracesFormat.name)
	source := filepath.Join(old, tracesFormat.name)
	into, err := OpenTraces(ctx, dir, opt) // sets a damaged file aside before the import
	if err != nil {
		return Copied{}, err
	}
	defer into.Close() // copyRuns opens the file itself
	copied, err := newUnfinished(path)
	if err != nil {
		return Copied{}, explain(path, err)
	}
	defer copied.discard()
	if err := copySource(old, copied.path); err != nil {
		return Copied{}, err
	}
	from, err := tracesFormat.connect(copied.path)
	if err != nil {
		return Copied{}, err
	}
	defer from.close() // it was only read
	if err := from.checkTables(ctx); err != nil {
		return Copied{}, &Error{Path: source, Err: err}
	}
	done, err := copyRuns(ctx, from, path, bounds{
		tolerant: true, ended: true, text: maxImportText, payload: maxImportPayload, rows: maxImportRows,
	})
	if err != nil {
		return Copied{}, &Error{Path: source, Err: err}
	}
	return done, nil
}

// copySource copies the file and its log without following links.
func copySource(old, to string) error {
	parent, err := os.OpenRoot(filepath.Dir(old))
	if err != nil {
		return err
	}
	defer parent.Close()
	name := filepath.Base(old)
	if info, err := parent.Lstat(name); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%q is not a directory", old))
	}
	if err := checkNoneHeld(parent, name); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal"} {
		err := copySourceFile(parent, filepath.Join(name, tracesFormat.name+suffix), to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("%q: %w", filepath.Join(old, tracesFormat.name+suffix), err)
		}
	}
	return nil
}

func copySourceFile(parent *os.Root, name, to string) error {
	in, err := openRegular(parent, name)
	if err != nil {
		return err
	}
	defer in.Close() // it was only read
	if info, err := in.Stat(); err != nil || info.Size() > maxImport {
		return errors.Join(err, fmt.Errorf("it is larger than %d bytes", int64(maxImport)))
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxImport))
	return errors.Join(err, out.Close())
}

// openRegular opens a regular file, never through a link, and never waits for a
// pipe.
func openRegular(parent *os.Root, name string) (*os.File, error) {
	named, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() || !disk.OwnedByUser(named) {
		return nil, errors.New("it is not a regular file of yours")
	}
	file, err := parent.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !os.SameFile(info, named) {
		return nil, errors.Join(err, errors.New("it was replaced while it was opened"), file.Close())
	}
	return file, nil
}

// maxLeases bounds the runs that checkNoneHeld checks: no real directory has
// more.
const maxLeases = 4096

// checkNoneHeld returns an error if another git-agent, of an earlier version,
// is working on one of the runs.
func checkNoneHeld(parent *os.Root, name string) error {
	dir := filepath.Join(name, tracesFormat.name+".runs")
	if info, err := parent.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	d, err := parent.Open(dir)
	if err != nil {
		return nil // without access to the locks nothing can be checked
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxLeases) // on an error, check the names that were read
	for _, run := range names {
		file, err := openRegular(parent, filepath.Join(dir, run))
		if err != nil {
			continue
		}
		err = tryLock(file)
		file.Close()
		if errors.Is(err, ErrHeld) && RunID(run).Valid() {
			return fmt.Errorf("%s: %w; wait for it to end", run, err)
		}
	}
	return nil
}

// checkTables returns an error unless the file has our application_id and exactly
// the tables of git-agent: a view or a generated column could run expressions
// during a read.
func (h *handle) checkTables(ctx context.Context) error {
	version, err := tracesFormat.snapshot(ctx, h)
	if err != nil {
		return err
	}
	rows, err := h.read.QueryContext(ctx, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name IN ('run', 'step') ORDER BY name")
	if err != nil {
		return err
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var kind, name, sql string
		if err := rows.Scan(&kind, &name, &sql); err != nil {
			return err
		}
		found = append(found, kind+" "+words(sql))
	}
	want := []string{"table " + tableOf("run"), "table " + tableOf("step")}
	if err := rows.Err(); err != nil || version == 0 || !slices.Equal(found, want) {
		return errors.Join(err, &formError{problem: "its tables are not those of git-agent"})
	}
	return nil
}

// tableOf returns the statement that creates a table of traces.db.
func tableOf(name string) string {
	for statement := range strings.SplitSeq(tracesFormat.migrations[0], ";") {
		if s := words(statement); strings.HasPrefix(s, "CREATE TABLE "+name+" ") {
			return s
		}
	}
	return ""
}

func words(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// decodesTo reports whether data decompresses to size bytes. It needs little
// memory, even if data claims a large size.
func decodesTo(data []byte, size int64) bool {
	r, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxImportPayload), zstd.WithDecoderMaxMemory(maxImportPayload))
	if err != nil {
		return false
	}
	defer r.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(r, size+1))
	return err == nil && n == size
}
