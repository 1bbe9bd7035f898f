package gitext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/gitext/gitcmd"
)

// Missed returns how often, since Open, an object was needed that this clone
// lacks.
func (r *Repo) Missed() int64 { return r.missed.Load() }

// missing counts an object that this clone lacks and returns the error for it.
func (r *Repo) missing(ctx context.Context, oid OID) error {
	r.missed.Add(1)
	gitcmd.CountMissing(ctx, string(oid))
	return &MissingObjectError{OID: oid, Damaged: r.hasFile(oid)}
}

// hasFile reports whether the clone has a file of its own for the object, so that git
// would have read it if it were sound. An object in a pack has none.
func (r *Repo) hasFile(oid OID) bool {
	const folder = 2 // digits of an id that name a directory
	if len(oid) <= folder {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.commonDir, "objects", string(oid[:folder]), string(oid[folder:])))
	return err == nil
}

// WhyUnread says for a note why a part of the repository could not be read. err is
// one for which Unreadable is true.
func WhyUnread(err error) string {
	var missing *MissingObjectError
	var large *TooLargeError
	switch {
	case errors.As(err, &missing) && missing.Damaged:
		return "object " + missing.OID.Short() + " of this clone is damaged"
	case errors.As(err, &missing):
		return "this clone lacks object " + missing.OID.Short()
	case errors.As(err, &large):
		return fmt.Sprintf("it has %s, and files of more than %s are not read", mebibytes(large.Size), mebibytes(large.Max))
	}
	var git *gitcmd.Error
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

// Unreadable is true for an error that says why a part of the repository could
// not be read: the clone lacks an object, it is too large, or git met a bound.
// What else can be read is still an answer. CountUnread counts them.
func Unreadable(err error) bool {
	return errors.As(err, new(*MissingObjectError)) || errors.As(err, new(*TooLargeError)) || gitcmd.Bounded(err)
}
