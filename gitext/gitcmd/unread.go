package gitcmd

import (
	"context"
	"slices"
	"sync"
)

// Unread says what one piece of work could not read.
type Unread struct {
	Missing int64 // how often an object was needed that the clone lacks
	Cut     int64 // how often a bound ended a read early
	// Bounds lists the distinct reasons for the cuts, such as "git log: git needed
	// too much memory: more than 2 GiB".
	Bounds []string
}

// Any reports whether anything could not be read.
func (u Unread) Any() bool { return u.Missing > 0 || u.Cut > 0 }

// maxBounds is how many distinct reasons are kept.
const maxBounds = 5

// CountUnread returns a context for one piece of work, and a function that
// reports what could not be read so far under that context or one derived from
// it. A piece of work that ends with nothing unread is complete, even in a
// partial clone. One with something unread may lack a part, whatever the caller
// did with the errors for which Unreadable is true. A *TooLargeError is not
// counted: a caller that names a size expects it.
func CountUnread(ctx context.Context) (_ context.Context, sum func() Unread) {
	c := &unreadCount{}
	c.outer, _ = ctx.Value(unreadKey{}).(*unreadCount)
	return context.WithValue(ctx, unreadKey{}, c), c.sum
}

type unreadKey struct{}

// unreadCount counts for one piece of work; outer belongs to the work that it
// is part of.
type unreadCount struct {
	outer *unreadCount
	mu    sync.Mutex
	n     Unread
}

func (c *unreadCount) sum() Unread {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	n.Bounds = slices.Clone(n.Bounds)
	return n
}

// count applies change to the count of each piece of work that ctx belongs to.
func count(ctx context.Context, change func(*Unread)) {
	c, _ := ctx.Value(unreadKey{}).(*unreadCount)
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		change(&c.n)
		c.mu.Unlock()
	}
}

// CountMissing counts an object that the clone lacks.
func CountMissing(ctx context.Context) { count(ctx, func(u *Unread) { u.Missing++ }) }

// CountCut counts err if a bound caused it, and returns it. The end of the
// caller's own context is not a bound.
func CountCut(ctx context.Context, err error) error {
	if Bounded(err) {
		NoteCut(ctx, err.Error())
	}
	return err
}

// NoteCut counts something that was left out because of a bound.
func NoteCut(ctx context.Context, why string) {
	count(ctx, func(u *Unread) {
		u.Cut++
		if len(u.Bounds) < maxBounds && !slices.Contains(u.Bounds, why) {
			u.Bounds = append(u.Bounds, why)
		}
	})
}
