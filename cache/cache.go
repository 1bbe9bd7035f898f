package cache

import (
	"context"
	"database/sql"
	"errors"
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
		CREATE INDEX entry_used ON entry (used, stored);`, noSeal},
}

// Options are common to both files.
type Options struct {
	// Limit returns the bytes that cache.db may have, 0 for DefaultLimit. It is asked once
	// and only when something is to be kept, since a setting costs a process. May be nil.
	Limit   func(context.Context) int64
	Version string       // of the tool, kept with each run in traces.db
	Warn    func(string) // gets each warning once, in git's voice without a prefix; may be nil

	now func() time.Time // for tests
}

func (o Options) withDefaults() Options {
	if o.Limit == nil {
		o.Limit = func(context.Context) int64 { return 0 }
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.now == nil {
		o.now = time.Now
	}
	return o
}

// Cache is cache.db. It is safe for concurrent use, and a nil Cache is an empty one that
// keeps nothing.
type Cache struct {
	ctx context.Context // without its cancellation: for the write in Close
	dir string
	opt Options

	limited sync.Once
	bytes   int64 // the limit, see limit

	mu       sync.Mutex
	handle   *handle // nil until the first use that needs it
	off      bool    // there is no cache in this process
	reason   error   // of the last trouble
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

// Without returns a cache that keeps nothing, and says why when it is asked.
func Without(reason error) *Cache {
	c := Open(context.Background(), "", Options{})
	c.off, c.reason = true, reason
	return c
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
	value, err := h.codec.unpack(sum[:], row.stored)
	if err != nil {
		c.suspect(ctx, h)
		return nil, false // the Put that follows a miss replaces it
	}
	c.touch(ctx, rowID(sum[:]), row.used)
	return value, true
}

// Put keeps value under key if it can. A value that would take more than an eighth of the
// limit is not kept: it would drive out too much else.
func (c *Cache) Put(ctx context.Context, key Key, value []byte) {
	if c == nil {
		return
	}
	h := c.open(ctx, writing)
	if h == nil || len(value) > maxAlways && int64(len(value)) > c.limit(ctx)/8 {
		return
	}
	sum := key.Sum()
	s := h.codec.pack(sum[:], value)
	for range maxAside {
		if h = c.open(ctx, writing); h == nil {
			return
		}
		err := h.insert(ctx, sum[:], key.Kind, c.opt.now().UnixMilli(), s)
		if err == nil {
			c.flush(ctx, h, false)
			c.keepSmall(ctx, h, int64(len(s.data)))
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
	if h != nil {
		c.flush(c.ctx, h, true)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h, c.handle, c.off = c.handle, nil, true
	if h == nil {
		return nil
	}
	return h.close()
}
