package cache

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// DefaultLimit is the size that cache.db may have when agent.cacheLimit is not set.
	DefaultLimit = 512 << 20

	// A use is recorded when the last one recorded is older, so that reading does not
	// become writing.
	useResolution = time.Hour
	// Uses wait in memory for the next write, up to this number.
	maxWaiting = 1024
	// After so many files set aside in one process something else is wrong.
	maxAside = 3
)

// cacheFormat: the id of a row is the first 8 bytes of its key, which makes a lookup one
// walk down one tree. Two keys that share them take turns; the whole key is compared.
var cacheFormat = format{
	name: "cache.db",
	id:   0x67616331, // "gac1"
	sync: "NORMAL",
	migrations: []string{`
		CREATE TABLE entry (
			id       INTEGER PRIMARY KEY,
			key      BLOB    NOT NULL,
			kind     TEXT    NOT NULL,
			used     INTEGER NOT NULL, -- milliseconds since 1970
			encoding INTEGER NOT NULL,
			size     INTEGER NOT NULL, -- before compression
			stored   INTEGER NOT NULL, -- after
			sum      BLOB    NOT NULL,
			value    BLOB    NOT NULL
		) STRICT;
		CREATE INDEX entry_used ON entry (used, stored);`},
}

// Options are common to both files.
type Options struct {
	Limit   int64        // bytes of cache.db, 0 for DefaultLimit
	Version string       // of the tool, kept with each run in traces.db
	Warn    func(string) // gets each warning once, in git's voice without a prefix; may be nil

	now     func() time.Time            // for tests
	network func(string) (string, bool) // for tests
}

func (o Options) withDefaults() Options {
	if o.Limit <= 0 {
		o.Limit = DefaultLimit
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.network == nil {
		o.network = networkFS
	}
	return o
}

// Cache is cache.db. It is safe for concurrent use, and a nil Cache is an empty one that
// keeps nothing.
type Cache struct {
	ctx   context.Context // without its cancellation: for the write in Close
	dir   string
	opt   Options
	codec codec

	mu       sync.Mutex
	handle   *handle // nil until the first use that needs it
	off      bool    // there is no cache in this process
	readOnly bool    // a write was refused; reading goes on
	aside    int
	warned   map[string]bool
	waiting  map[int64]int64 // id -> last use that is not yet in the file
	unpruned int64           // bytes written since the size was looked at
}

// Open returns the cache in dir without touching the disk; that happens on first use.
func Open(ctx context.Context, dir string, opt Options) *Cache {
	return &Cache{
		ctx:      context.WithoutCancel(ctx),
		dir:      dir,
		opt:      opt.withDefaults(),
		warned:   map[string]bool{},
		waiting:  map[int64]int64{},
		unpruned: -1,
	}
}

// Get returns the value of key. When in doubt it returns none.
func (c *Cache) Get(ctx context.Context, key Key) ([]byte, bool) {
	if c == nil {
		return nil, false
	}
	h := c.open(ctx, reading)
	if h == nil {
		return nil, false
	}
	sum := key.Sum()
	row, err := h.lookup(ctx, sum[:])
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false
	}
	if err != nil {
		c.failed(ctx, h, reading, err)
		return nil, false
	}
	value, err := c.codec.unpack(sum[:], row.stored)
	if err != nil {
		c.warn(fmt.Sprintf("a damaged entry of %q is ignored: %v", h.path, err))
		return nil, false // the Put that follows a miss replaces it
	}
	c.touch(ctx, rowID(sum[:]), row.used)
	return value, true
}

// Put keeps value under key if it can. A value that would take more than an eighth of the
// limit is not kept: it would drive out too much else.
func (c *Cache) Put(ctx context.Context, key Key, value []byte) {
	if c == nil || int64(len(value)) > c.opt.Limit/8 && len(value) > maxAlways {
		return
	}
	sum := key.Sum()
	s := c.codec.pack(sum[:], value)
	for range maxAside {
		h := c.open(ctx, writing)
		if h == nil {
			return
		}
		err := h.insert(ctx, sum[:], key.Kind, c.opt.now().UnixMilli(), s)
		if err == nil {
			c.flush(ctx, h, false)
			c.limit(ctx, h, int64(len(s.data)))
			return
		}
		if !c.failed(ctx, h, writing, err) {
			return
		}
	}
}

// maxAlways is the size of values that even the smallest limit admits.
const maxAlways = 64 << 10

// Close writes what waits and closes the file.
func (c *Cache) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	h := c.handle
	c.mu.Unlock()
	if h == nil {
		return nil
	}
	c.flush(c.ctx, h, true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handle, c.off = nil, true
	return h.close()
}

// rowID is where the value of a key lives.
func rowID(sum []byte) int64 { return int64(binary.BigEndian.Uint64(sum)) }

type purpose int

const (
	reading purpose = iota
	writing
)

// open returns the database, or nil when there is none for this purpose. A read does not
// create the file.
func (c *Cache) open(ctx context.Context, p purpose) *handle {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.off, p == writing && c.readOnly:
		return nil
	case c.handle != nil:
		return c.handle
	}
	dir, err := place(c.dir, c.opt, userCacheDir, c.warnLocked)
	if err != nil {
		c.giveUp(err)
		return nil
	}
	path := filepath.Join(dir, cacheFormat.name)
	if p == reading {
		if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
			return nil
		}
	}
	return c.openAt(ctx, path)
}

// openAt opens the file, which may take a second attempt when it is set aside.
func (c *Cache) openAt(ctx context.Context, path string) *handle {
	for range 1 + maxAside {
		was, _ := os.Lstat(path) // nil when there is none yet
		h, err := cacheFormat.open(ctx, path)
		if err == nil {
			c.handle, c.unpruned = h, -1
			return h
		}
		switch classify(err) {
		case passing:
			c.busy(ctx, path)
			return nil
		case moved:
			// Another process has put a new file there.
		case damaged, newer:
			if !c.setAside(path, was, err) {
				return nil
			}
		default:
			c.giveUp(err)
			return nil
		}
	}
	return nil
}

// busy warns of a lock, unless it was the caller who stopped waiting.
func (c *Cache) busy(ctx context.Context, path string) {
	if ctx.Err() == nil {
		c.warnLocked(fmt.Sprintf("cache %q is locked by another process", path))
	}
}

// failed acts on an error of a statement and says whether to try again.
func (c *Cache) failed(ctx context.Context, h *handle, p purpose, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handle != h {
		return !c.off // someone else has dealt with it
	}
	switch classify(err) {
	case passing:
		c.busy(ctx, h.path)
		return false
	case moved:
		c.drop()
		return true
	case damaged, newer:
		c.drop()
		return c.setAside(h.path, h.was, err)
	case denied:
		if p == writing {
			c.readOnly = true
			c.warnLocked(fmt.Sprintf("cache %q is not written: %v", h.path, err))
			return false
		}
	}
	c.drop()
	c.giveUp(err)
	return false
}

// drop forgets the open file. Its connections close when their queries end.
func (c *Cache) drop() {
	_ = c.handle.close() // its state is known to be bad, and the error that says so is at hand
	c.handle = nil
	clear(c.waiting)
}

// setAside keeps one file for each reason. They are caches: the newest is enough.
func (c *Cache) setAside(path string, was os.FileInfo, why error) bool {
	suffix := asideDamaged
	if classify(why) == newer {
		suffix = asideNewer
	}
	c.aside++
	if c.aside > maxAside {
		c.giveUp(why)
		return false
	}
	name, err := setAside(path, was, suffix)
	if err != nil {
		c.giveUp(errors.Join(why, err))
		return false
	}
	if name != "" {
		c.warnLocked(fmt.Sprintf("cache %q was set aside as %q: %v", path, filepath.Base(name), why))
	}
	return true
}

const (
	asideDamaged = ".damaged"
	asideNewer   = ".newer"
)

func (c *Cache) giveUp(err error) {
	c.off = true
	c.warnLocked(fmt.Sprintf("no cache in %q: %v", c.dir, err))
}

func (c *Cache) warn(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warnLocked(text)
}

func (c *Cache) warnLocked(text string) {
	if !c.warned[text] {
		c.warned[text] = true
		c.opt.Warn(text)
	}
}

// entry is a row of the table of that name.
type entry struct {
	stored
	used int64
}

func (h *handle) lookup(ctx context.Context, sum []byte) (entry, error) {
	var e entry
	err := h.read.QueryRowContext(ctx,
		"SELECT used, encoding, size, sum, value FROM entry WHERE id = ? AND key = ?", rowID(sum), sum).
		Scan(&e.used, &e.encoding, &e.size, &e.sum, &e.data)
	return e, err
}

func (h *handle) insert(ctx context.Context, sum []byte, kind string, now int64, s stored) error {
	_, err := h.write.ExecContext(ctx,
		"REPLACE INTO entry (id, key, kind, used, encoding, size, stored, sum, value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		rowID(sum), sum, kind, now, s.encoding, s.size, len(s.data), s.sum, s.data)
	return err
}

// touch notes a use of a row whose last recorded use is old.
func (c *Cache) touch(ctx context.Context, id, used int64) {
	now := c.opt.now().UnixMilli()
	if now-used < useResolution.Milliseconds() {
		return
	}
	c.mu.Lock()
	c.waiting[id] = now
	full := len(c.waiting) >= maxWaiting
	h := c.handle
	c.mu.Unlock()
	if full && h != nil {
		c.flush(ctx, h, true)
	}
}

// flush writes the waiting uses. After a Put it does so only when many wait, because the
// next Put or Close will come.
func (c *Cache) flush(ctx context.Context, h *handle, all bool) {
	c.mu.Lock()
	n := len(c.waiting)
	if n == 0 || c.readOnly || c.handle != h || !all && n < maxWaiting/16 {
		c.mu.Unlock()
		return
	}
	uses := c.waiting
	c.waiting = map[int64]int64{}
	c.mu.Unlock()
	if err := h.markUsed(ctx, uses); err != nil {
		c.failed(ctx, h, writing, err)
	}
}

func (h *handle) markUsed(ctx context.Context, uses map[int64]int64) error {
	tx, err := h.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // after a commit this does nothing
	update, err := tx.PrepareContext(ctx, "UPDATE entry SET used = ? WHERE id = ?")
	if err != nil {
		return err
	}
	defer update.Close()
	for id, used := range uses {
		if _, err := update.ExecContext(ctx, used, id); err != nil {
			return err
		}
	}
	return tx.Commit()
}
