package szz

import (
	"errors"
	"fmt"

	"git-agent/gitext"
)

// WhyUnread says why a part of the repository could not be read, for a note. err
// is one for which gitext.Unreadable is true.
func WhyUnread(err error) string {
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

// Cut bounds s to max runes and says how much is missing.
func Cut(s string, max int) string {
	rs := []rune(s)
	if len(rs) <= max {
		return s
	}
	return fmt.Sprintf("%s… (+%d)", string(rs[:max]), len(rs)-max)
}

// Clipped is a path for a note: one in a tree may have any length.
func Clipped(path string) string { return Cut(path, 300) }

func Plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// PartOf words n of total things; n is at least 1.
func PartOf(n, total int, thing string) string {
	switch {
	case total == 1:
		return "the " + thing
	case n == total && n == 2:
		return "both " + thing + "s"
	case n == total:
		return fmt.Sprintf("all %d %ss", n, thing)
	}
	return fmt.Sprintf("%d of the %d %ss", n, total, thing)
}
