package gitcmd

import (
	"context"
	"slices"
	"sync"
)

// Unread describes the parts that one piece of work could not read.
type Unread struct {
	Missing int64    // how often a needed object was missing in the clone
	Objects []string // the ids of such objects, each once, and at most maxObjects of them
	Reads   []Read   // the reads that a missing object ended, each once, at most maxReads
	Cut     int64    // how often a bound ended a read early
	// Bounds lists the distinct reasons for the cuts, such as "git log: git needed
	// too much memory: more than 2 GiB".
	Bounds []string
}

// A Read is a read of more than one object. git names only the first missing object; the Read
// tells which others may be missing.
type Read struct {
	Rev      string // the commit whose files were read, by its id
	Path     string // the file; "" for all files of the commit
	Versions bool   // the file's earlier versions were read too
}

// Any reports whether anything could not be read.
func (u Unread) Any() bool { return u.Missing > 0 || u.Cut > 0 }

// maxBounds is the number of distinct reasons to keep.
const maxBounds = 5

// These constants bound the lists of missing objects and reads.
const (
	maxObjects = 10_000 // ids
	maxReads   = 1_000
)

// CountUnread returns a context for one piece of work, and a function that reports the unread
// parts so far under that context and its children. Work without unread parts is complete, even
// in a partial clone. Work with unread parts may be incomplete, even if the caller ignored errors
// for which Unreadable is true. A *TooLargeError does not count, because a caller that sets a
// size expects this error.
func CountUnread(ctx context.Context) (_ context.Context, sum func() Unread) {
	c := &unreadCount{}
	c.outer, _ = ctx.Value(unreadKey{}).(*unreadCount)
	return context.WithValue(ctx, unreadKey{}, c), c.sum
}

// Uncounted returns a context whose unread parts do not count for the work of ctx.
func Uncounted(ctx context.Context) context.Context {
	return context.WithValue(ctx, unreadKey{}, (*unreadCount)(nil))
}

type unreadKey struct{}

// unreadCount counts for one piece of work; outer counts for the enclosing work.
type unreadCount struct {
	outer *unreadCount
	mu    sync.Mutex
	n     Unread
	seen  map[string]bool // the elements of n.Objects
}

func (c *unreadCount) sum() Unread {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	n.Bounds, n.Objects, n.Reads = slices.Clone(n.Bounds), slices.Clone(n.Objects), slices.Clone(n.Reads)
	return n
}

// count applies change to the counts of all pieces of work around ctx.
func count(ctx context.Context, change func(*unreadCount)) {
	c, _ := ctx.Value(unreadKey{}).(*unreadCount)
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		change(c)
		c.mu.Unlock()
	}
}

// CountMissing counts a missing object by its id.
func CountMissing(ctx context.Context, oid string) {
	count(ctx, func(c *unreadCount) {
		c.n.Missing++
		if c.seen[oid] || len(c.seen) == maxObjects {
			return
		}
		if c.seen == nil {
			c.seen = map[string]bool{}
		}
		c.seen[oid] = true
		c.n.Objects = append(c.n.Objects, oid)
	})
}

// NoteRead records a read that a missing object ended.
func NoteRead(ctx context.Context, read Read) {
	count(ctx, func(c *unreadCount) {
		if len(c.n.Reads) < maxReads && !slices.Contains(c.n.Reads, read) {
			c.n.Reads = append(c.n.Reads, read)
		}
	})
}

// CountCut counts err if a bound caused it, and returns it. The end of the
// caller's own context is not a bound.
func CountCut(ctx context.Context, err error) error {
	if Bounded(err) {
		NoteCut(ctx, err.Error())
	}
	return err
}

// NoteCut counts an omission because of a bound; why is the reason.
func NoteCut(ctx context.Context, why string) {
	count(ctx, func(c *unreadCount) {
		c.n.Cut++
		if len(c.n.Bounds) < maxBounds && !slices.Contains(c.n.Bounds, why) {
			c.n.Bounds = append(c.n.Bounds, why)
		}
	})
}
