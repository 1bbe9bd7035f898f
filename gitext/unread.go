package gitext

import (
	"context"
	"errors"
	"fmt"
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

// Missed returns how often, since Open, an object was needed that this clone
// lacks.
func (r *Repo) Missed() int64 { return r.missed.Load() }

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

// missing counts an object that this clone lacks and returns the error for it.
func (r *Repo) missing(ctx context.Context, oid OID) error {
	r.missed.Add(1)
	count(ctx, func(u *Unread) { u.Missing++ })
	return &MissingObjectError{OID: oid}
}

// countCut counts err if a bound caused it, and returns it. The end of the
// caller's own context is not a bound.
func countCut(ctx context.Context, err error) error {
	if bounded(err) {
		noteCut(ctx, err.Error())
	}
	return err
}

// noteCut counts something that was left out because of a bound.
func noteCut(ctx context.Context, why string) {
	count(ctx, func(u *Unread) {
		u.Cut++
		if len(u.Bounds) < maxBounds && !slices.Contains(u.Bounds, why) {
			u.Bounds = append(u.Bounds, why)
		}
	})
}

// WhyUnread says for a note why a part of the repository could not be read. err is
// one for which Unreadable is true.
func WhyUnread(err error) string {
	var missing *MissingObjectError
	var large *TooLargeError
	switch {
	case errors.As(err, &missing):
		return "this clone lacks object " + missing.OID.Short()
	case errors.As(err, &large):
		return fmt.Sprintf("it has %s, and files of more than %s are not read", mebibytes(large.Size), mebibytes(large.Max))
	}
	var git *Error
	if errors.As(err, &git) {
		return git.Error()
	}
	return err.Error()
}

// mebibytes rounds up, so that a size above a bound reads as above it.
func mebibytes(n int64) string {
	tenths := (n*10 + 1<<20 - 1) >> 20
	if tenths%10 == 0 {
		return fmt.Sprintf("%d MiB", tenths/10)
	}
	return fmt.Sprintf("%d.%d MiB", tenths/10, tenths%10)
}
