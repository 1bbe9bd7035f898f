package backfill

import (
	"context"

	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// maxRounds is the largest number of repetitions of a piece of work, each after a fetch
// of its missing objects.
const maxRounds = 8

// Complete does a piece of work, fetches the missing objects, and repeats the work until
// nothing is missing or nothing arrives. It returns the unread objects of the last
// attempt, and its error. A nil Fetcher fetches nothing, and does the work once.
func (f *Fetcher) Complete(ctx context.Context, work func(context.Context) error) (gitcmd.Unread, error) {
	for round := 0; ; round++ {
		counted, unread := gitcmd.CountUnread(ctx)
		err := work(counted)
		u := unread()
		if f == nil || u.Missing == 0 || round == maxRounds || ctx.Err() != nil || !f.Unread(ctx, u, nil) {
			return u, err
		}
	}
}

// Unread fetches the missing objects of a piece of work, and the objects in besides. It
// reports whether any arrived.
func (f *Fetcher) Unread(ctx context.Context, u gitcmd.Unread, besides []gitext.OID) (got bool) {
	oids := besides
	for _, oid := range u.Objects {
		oids = append(oids, gitext.OID(oid))
	}
	traced := map[gitext.OID][]string{}
	for _, r := range u.Reads {
		rev := gitext.OID(r.Rev)
		if r.Versions {
			traced[rev] = append(traced[rev], r.Path)
		} else {
			got = f.Files(ctx, rev, r.Path) || got
		}
	}
	for rev, paths := range traced {
		got = f.History(ctx, rev, paths, oids) || got
		oids = nil
	}
	return f.objects(ctx, oids) || got
}
