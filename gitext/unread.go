package gitext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/gitext/gitcmd"
)

// missing counts an object that this clone lacks and returns the error for it.
func (r *Repo) missing(ctx context.Context, oid OID) error {
	gitcmd.CountMissing(ctx, string(oid))
	return &MissingObjectError{OID: oid, Damaged: r.hasFile(oid)}
}

// hasFile reports whether the clone has a loose object file for the id. git would have read a
// sound file, so the object is damaged. An object in a pack has no such file.
func (r *Repo) hasFile(oid OID) bool {
	const folder = 2 // digits of an id that name a directory
	if len(oid) <= folder {
		return false
	}
	_, err := os.Lstat(filepath.Join(r.commonDir, "objects", string(oid[:folder]), string(oid[folder:])))
	return err == nil
}

// WhyUnread returns, for a note, the reason why a part of the repository could not be read.
// Unreadable(err) must be true.
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

// mebibytes rounds up, so that a size above a bound is also shown above the bound.
func mebibytes(n int64) string {
	tenths := (n*10 + 1<<20 - 1) >> 20
	if tenths%10 == 0 {
		return fmt.Sprintf("%d MiB", tenths/10)
	}
	return fmt.Sprintf("%d.%d MiB", tenths/10, tenths%10)
}

// Unreadable is true for an error about an unreadable part of the repository: an object is
// missing or too large, or git hit a bound. The other parts are still a valid answer. CountUnread
// counts such errors.
func Unreadable(err error) bool {
	return errors.As(err, new(*MissingObjectError)) || errors.As(err, new(*TooLargeError)) || gitcmd.Bounded(err)
}
