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

	"github.com/klauspost/compress/zstd"
)

// The most that ImportTraces takes over.
const (
	maxImport        = 2 << 30  // bytes of the file, and of its log
	maxImportRows    = 2 << 20  // runs and steps
	maxImportText    = 1 << 20  // bytes of a run's texts, or of a step's key
	maxImportPayload = 64 << 20 // bytes of a step, decompressed
)

// ImportTraces copies the runs of the traces.db in the directory old, which is below a git
// directory and may have come with an archive, into the one in dir. The file is taken for
// hostile: it is copied before SQLite sees it, it must have the tables of git-agent to the
// letter, and no run in it can be gone on with. Runs that are there already stay as they
// are. The file itself is left alone.
func ImportTraces(ctx context.Context, old, dir string, opt Options) (Copied, error) {
	path := filepath.Join(dir, tracesFormat.name)
	source := filepath.Join(old, tracesFormat.name)
	into, err := OpenTraces(ctx, dir, opt) // a damaged file must not meet the import
	if err != nil {
		return Copied{}, err
	}
	defer into.Close() // it was only opened
	copied, err := unfinished(path)
	if err != nil {
		return Copied{}, explain(path, err)
	}
	defer copied.discard()
	if err := fetchOld(old, copied.path); err != nil {
		return Copied{}, err
	}
	from, err := tracesFormat.connect(copied.path)
	if err != nil {
		return Copied{}, err
	}
	defer from.close() // it was only read
	if err := from.asWritten(ctx); err != nil {
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

// fetchOld copies the file and its log through descriptors that no link has led to.
func fetchOld(old, to string) error {
	parent, err := os.OpenRoot(filepath.Dir(old))
	if err != nil {
		return err
	}
	defer parent.Close()
	name := filepath.Base(old)
	if info, err := parent.Lstat(name); err != nil || !info.IsDir() {
		return errors.Join(err, fmt.Errorf("%q is not a directory", old))
	}
	if err := noneHeld(parent, name); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal"} {
		err := copyOld(parent, filepath.Join(name, tracesFormat.name+suffix), to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return fmt.Errorf("%q: %w", filepath.Join(old, tracesFormat.name+suffix), err)
		}
	}
	return nil
}

func copyOld(parent *os.Root, name, to string) error {
	in, err := openPlain(parent, name)
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

// openPlain opens a regular file that the name itself leads to. A pipe is never waited for.
func openPlain(parent *os.Root, name string) (*os.File, error) {
	named, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.Mode().IsRegular() || !ownedByUs(named) {
		return nil, errors.New("it is not a regular file of yours")
	}
	file, err := parent.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err != nil || !os.SameFile(info, named) {
		return nil, errors.Join(err, errors.New("it is another file now"), file.Close())
	}
	return file, nil
}

// maxLeases is how many runs are looked at: a directory of more is none of ours.
const maxLeases = 4096

// noneHeld returns an error when an earlier git-agent is at work on a run there.
func noneHeld(parent *os.Root, name string) error {
	dir := filepath.Join(name, tracesFormat.name+".runs")
	if info, err := parent.Lstat(dir); err != nil || !info.IsDir() {
		return nil
	}
	d, err := parent.Open(dir)
	if err != nil {
		return nil // what cannot be read is held by nobody who could be asked
	}
	defer d.Close()
	names, _ := d.Readdirnames(maxLeases) // an error ends the list
	for _, run := range names {
		file, err := openPlain(parent, filepath.Join(dir, run))
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

// asWritten returns an error unless the file has the mark and, to the letter, the tables
// of git-agent: a view or a generated column would compute what the reader asks for.
func (h *handle) asWritten(ctx context.Context) error {
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

// tableOf is the statement that makes a table of traces.db.
func tableOf(name string) string {
	for statement := range strings.SplitSeq(tracesFormat.migrations[0], ";") {
		if s := words(statement); strings.HasPrefix(s, "CREATE TABLE "+name+" ") {
			return s
		}
	}
	return ""
}

func words(sql string) string { return strings.Join(strings.Fields(sql), " ") }

// decodesTo tells whether data decompresses to size bytes, and needs little memory for it
// whatever the data says.
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
