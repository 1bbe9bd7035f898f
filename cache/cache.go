package cache

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

const (
	// defaultLimit bounds the size of cache.db in bytes if agent.cacheLimit is not set.
	defaultLimit = 512 << 20

	// The use of an entry is recorded only if the last recorded use is older than
	// this, so that reading rarely causes a write.
	useResolution = time.Hour
	// maxWaiting bounds the recorded uses that wait in memory for the next write.
	maxWaiting = 1024
	// After setting aside maxAside files, a process gives up, because the problem is elsewhere.
	maxAside = 3
)

// cacheFormat is the format of cache.db. The id of a row is the first 8 bytes of its key, so a
// lookup searches one tree. Keys with the same first 8 bytes share a row, so a new value replaces
// that of the other key; lookups compare the whole key.
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

// Options are the options of both files.
type Options struct {
	// Limit returns the largest size of cache.db in bytes, 0 for defaultLimit. It is called at
	// most once, before the first write, since reading a setting costs a process. It may be nil.
	Limit   func(context.Context) int64
	Version string       // of git-agent; stored with each run in traces.db
	Warn    func(string) // called once for each warning, in git's style without a prefix; may be nil

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

// Cache is cache.db. It is safe for concurrent use. A nil Cache behaves like an
// empty one that stores nothing.
type Cache struct {
	ctx context.Context // the context of Open without its cancellation, for the write in Close
	dir string
	opt Options

	limited sync.Once
	bytes   int64 // the size limit; set by the method limit

	mu       sync.Mutex
	handle   *handle // nil until the first use
	off      bool    // the cache is disabled for this process
	reason   error   // the last failure
	readOnly bool    // a write was refused; reads continue
	aside    int
	warned   map[string]bool
	waiting  map[int64]int64 // unsaved last uses, by row id
	unpruned int64           // bytes written since the last check of the size
}

// Open returns the cache in dir. Only the first use touches the disk.
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

// Without returns a cache that stores nothing; Stats and the like return
// reason.
func Without(reason error) *Cache {
	c := Open(context.Background(), "", Options{})
	c.off, c.reason = true, reason
	return c
}

// Get returns the value of key. On any failure it reports a miss.
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
		return nil, false // the Put after the miss replaces the row
	}
	c.touch(ctx, rowID(sum[:]), row.used)
	return value, true
}

// Put stores value under key if possible. It skips a value larger than an eighth of the limit,
// which would displace too many others.
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
			c.pruneIfDue(ctx, h, int64(len(s.data)))
			return
		}
		if !c.failed(ctx, h, writing, err) {
			return
		}
	}
}

// maxAlways is the size in bytes up to which Put stores a value for any limit.
const maxAlways = 64 << 10

// Close writes the recorded uses and closes the file.
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
