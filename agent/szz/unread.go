package szz

import (
	"errors"
	"fmt"

	"git-agent/gitext"
)

// reason says why a part of the repository could not be read, for a note. err
// is one for which gitext.Unreadable is true.
func reason(err error) string {
	var gone *gitext.MissingObjectError
	var large *gitext.TooLargeError
	switch {
	case errors.As(err, &gone):
		return "this clone lacks object " + gone.OID.Short()
	case errors.As(err, &large):
		return fmt.Sprintf("it has %s, and files of more than %s are not read", mebibytes(large.Size), mebibytes(large.Max))
	}
	var git *gitext.Error
	if errors.As(err, &git) {
		return git.Error()
	}
	return err.Error()
}

// mebibytes rounds up, so that what is above a bound reads as above it.
func mebibytes(n int64) string {
	tenths := (n*10 + 1<<20 - 1) >> 20
	if tenths%10 == 0 {
		return fmt.Sprintf("%d MiB", tenths/10)
	}
	return fmt.Sprintf("%d.%d MiB", tenths/10, tenths%10)
}
