package cache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Stats describes one of the two files. All fields but Path are zero if the
// file does not exist.
type Stats struct {
	Path    string
	Bytes   int64 // on the disk, log included
	Limit   int64 // 0 for traces.db, which is never pruned
	Entries int64 // values in cache.db, steps in traces.db
	Runs    int64
	Oldest  time.Time // last use of the next entry to prune; in traces.db, start of the first run
	Newest  time.Time
	Kinds   []KindStats
	Aside   []string // files that were set aside, by name
}

// KindStats counts the entries, or steps, of one kind.
type KindStats struct {
	Kind    string
	Entries int64
	Size    int64 // of the values before compression
	Stored  int64 // of the values after compression
}

// Stats counts the contents of the cache.
func (c *Cache) Stats(ctx context.Context) (Stats, error) {
	if c.dir == "" {
		return Stats{}, c.unavailable()
	}
	s, err := stats(ctx, c.dir, cacheFormat, cacheStats)
	s.Limit = c.limit(ctx)
	return s, err
}

// HasTraces reports whether dir has a traces.db, sound or not.
func HasTraces(dir string) bool { return exists(filepath.Join(dir, tracesFormat.name)) }

// StatTraces counts the contents of traces.db in dir, without creating it.
func StatTraces(ctx context.Context, dir string) (Stats, error) {
	return stats(ctx, dir, tracesFormat, tracesStats)
}

func stats(ctx context.Context, dir string, f format, count func(context.Context, *handle, *Stats) error) (Stats, error) {
	s := Stats{Path: filepath.Join(dir, f.name)}
	var err error
	if s.Aside, err = asideNames(s.Path); err != nil {
		return s, err
	}
	if s.Bytes = sizeOf(s.Path); s.Bytes == 0 {
		return s, nil
	}
	h, err := f.open(ctx, s.Path)
	if err != nil {
		return s, explain(s.Path, err)
	}
	defer h.close()
	if err := count(ctx, h, &s); err != nil {
		return s, explain(s.Path, err)
	}
	return s, nil
}

// sizeOf returns the size in bytes of a file and its log, which may be larger
// than the file. The log's index does not count, because it exists only while the
// file is open.
func sizeOf(path string) int64 {
	var sum int64
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Lstat(path + suffix); err == nil {
			sum += info.Size()
		}
	}
	return sum
}

// asideNames returns the files made by setAside, without their logs.
func asideNames(path string) ([]string, error) {
	files, err := os.ReadDir(filepath.Dir(path))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, file := range files {
		if name := file.Name(); isAside(name, filepath.Base(path)) {
			names = append(names, name)
		}
	}
	return names, err
}

func cacheStats(ctx context.Context, h *handle, s *Stats) error {
	return h.count(ctx, s,
		"SELECT coalesce(min(used), 0) * 1000, coalesce(max(used), 0) * 1000, 0 FROM entry",
		"SELECT kind, count(*), sum(size), sum(stored) FROM entry GROUP BY kind ORDER BY kind")
}

func tracesStats(ctx context.Context, h *handle, s *Stats) error {
	return h.count(ctx, s,
		"SELECT coalesce(min(started), 0), coalesce(max(started), 0), count(*) FROM run",
		"SELECT kind, count(*), sum(size), sum(length(payload)) FROM step GROUP BY kind ORDER BY kind")
}

func (h *handle) count(ctx context.Context, s *Stats, span, kinds string) error {
	var oldest, newest int64
	if err := h.read.QueryRowContext(ctx, span).Scan(&oldest, &newest, &s.Runs); err != nil {
		return err
	}
	if newest != 0 {
		s.Oldest, s.Newest = time.UnixMicro(oldest).UTC(), time.UnixMicro(newest).UTC()
	}
	rows, err := h.read.QueryContext(ctx, kinds)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var k KindStats
		if err := rows.Scan(&k.Kind, &k.Entries, &k.Size, &k.Stored); err != nil {
			return err
		}
		s.Kinds = append(s.Kinds, k)
		s.Entries += k.Entries
	}
	return rows.Err()
}

// Pruned is the result of Prune or Clear.
type Pruned struct {
	Path          string
	Removed       int64 // entries
	Before, After int64 // bytes on the disk, files that were set aside included
}

// Prune removes the least recently used entries until at most limit bytes are
// in use (0 for the cache's own limit), returns the free space to the file
// system, and removes files that were set aside.
func (c *Cache) Prune(ctx context.Context, limit int64) (Pruned, error) {
	if limit <= 0 {
		limit = c.limit(ctx)
	}
	return c.shrink(ctx, func(h *handle) (int64, error) { return h.pruneTo(ctx, limit) })
}

// Clear removes everything from the cache. Other processes may be using it.
func (c *Cache) Clear(ctx context.Context) (Pruned, error) {
	return c.shrink(ctx, func(h *handle) (int64, error) {
		done, err := h.write.ExecContext(ctx, "DELETE FROM entry")
		if err != nil {
			return 0, err
		}
		return done.RowsAffected()
	})
}

func (c *Cache) shrink(ctx context.Context, remove func(*handle) (int64, error)) (Pruned, error) {
	if c.dir == "" {
		return Pruned{}, c.unavailable()
	}
	var err error
	p := Pruned{Path: filepath.Join(c.dir, cacheFormat.name)}
	p.Before = sizeOf(p.Path) + sizeAside(p.Path)
	if p.Before == 0 {
		return p, nil
	}
	if sizeOf(p.Path) > 0 {
		if p.Removed, err = c.vacuum(ctx, remove); err != nil {
			return p, explain(p.Path, err)
		}
	}
	err = removeAside(p.Path)
	p.After = sizeOf(p.Path) + sizeAside(p.Path)
	return p, err
}

// vacuum opens the file, removes entries and returns their space. A damaged
// file is set aside.
func (c *Cache) vacuum(ctx context.Context, remove func(*handle) (int64, error)) (int64, error) {
	h := c.open(ctx, writing)
	if h == nil {
		return 0, c.unavailable()
	}
	removed, err := remove(h)
	if err == nil {
		err = h.returnSpace(ctx)
	}
	if t := classify(err); err != nil && (t == damaged || t == moved) {
		c.failed(ctx, h, writing, err)
		return removed, nil // the file was set aside, so the cache is empty
	}
	return removed, err
}

// returnSpace truncates the file and its log as far as other processes allow. It
// does not run PRAGMA optimize, because its tables make a small file grow by 8
// KiB.
func (h *handle) returnSpace(ctx context.Context) error {
	for _, statement := range []string{"PRAGMA incremental_vacuum", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		rows, err := h.write.QueryContext(ctx, statement)
		if err != nil {
			return err
		}
		for rows.Next() { // incremental_vacuum works row by row
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return err
		}
	}
	return nil
}

func sizeAside(path string) int64 {
	names, _ := asideNames(path) // unlisted files cannot be counted
	var sum int64
	for _, name := range names {
		sum += sizeOf(filepath.Join(filepath.Dir(path), name))
	}
	return sum
}

// removeAside removes files that were set aside, and unfinished files of dead
// processes.
func removeAside(path string) error {
	removeAbandoned(path)
	names, err := asideNames(path)
	for _, name := range names {
		for _, suffix := range parts {
			gone := os.Remove(filepath.Join(filepath.Dir(path), name+suffix))
			if !errors.Is(gone, os.ErrNotExist) {
				err = errors.Join(err, gone)
			}
		}
	}
	return err
}

// unavailable returns the reason why there is no cache.
func (c *Cache) unavailable() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != nil {
		return c.reason
	}
	return fmt.Errorf("%q cannot be opened now", c.dir)
}
