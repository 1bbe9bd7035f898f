package gitext

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Unread is what a piece of work could not read.
type Unread struct {
	Missing int64 // how often an object was needed that the clone lacks
	Cut     int64 // how often a bound ended a read early
	// Bounds are the reasons for the cuts, each once, such as "git log: git
	// needed too much memory: more than 2 GiB".
	Bounds []string
}

// Any is true for work that did not read all of what it needed.
func (u Unread) Any() bool { return u.Missing > 0 || u.Cut > 0 }

// maxBounds is how many reasons are told apart.
const maxBounds = 5

// Missed is how often, since Open, an object was needed that this clone lacks.
func (r *Repo) Missed() int64 { return r.missed.Load() }

// CountUnread returns a context for one piece of work, and what could not be
// read so far, under that context or one made of it. A piece that ends without
// any is whole, in a partial clone too; another one may lack a part, whatever
// was made of the errors for which Unreadable is true. A *TooLargeError is not
// counted: whoever names a size makes something of it.
func CountUnread(ctx context.Context) (_ context.Context, sum func() Unread) {
	c := &unreadCount{}
	c.outer, _ = ctx.Value(unreadKey{}).(*unreadCount)
	return context.WithValue(ctx, unreadKey{}, c), c.sum
}

type unreadKey struct{}

// unreadCount is one count, and the one of the work that it is a part of.
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

// count changes the count of each piece of work that ctx belongs to.
func count(ctx context.Context, change func(*Unread)) {
	c, _ := ctx.Value(unreadKey{}).(*unreadCount)
	for ; c != nil; c = c.outer {
		c.mu.Lock()
		change(&c.n)
		c.mu.Unlock()
	}
}

// missing is the error for an object that this clone lacks.
func (r *Repo) missing(ctx context.Context, oid OID) error {
	r.missed.Add(1)
	count(ctx, func(u *Unread) { u.Missing++ })
	return &MissingObjectError{OID: oid}
}

// cut counts an error that comes of a bound, and returns it. An error of the
// caller's own context comes of none.
func cut(ctx context.Context, err error) error {
	if bounded(err) {
		cutShort(ctx, err.Error())
	}
	return err
}

// cutShort notes that something was left out because of a bound.
func cutShort(ctx context.Context, why string) {
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
