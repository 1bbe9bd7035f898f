package gitext

import (
	"bytes"
	"errors"
	"fmt"

	"git-agent/gitext/quote"
)

var (
	// ErrNotRepository says that no git repository was found.
	ErrNotRepository = errors.New("not a git repository")
	// ErrNotExist says that a path is not in the searched tree.
	ErrNotExist = errors.New("path does not exist")
)

// MissingObjectError names an object that the clone lacks, or whose file git cannot read.
// CountUnread and Repo.Missed count these errors.
type MissingObjectError struct {
	OID     OID
	Damaged bool // there is a file of the object
}

func (e *MissingObjectError) Error() string {
	if e.Damaged {
		return fmt.Sprintf("object %s of this clone is damaged", e.OID)
	}
	return fmt.Sprintf("object %s is not in this clone", e.OID)
}

// FetchAll is a command that turns a partial clone into a full one. Without --tags, the command
// would not fetch objects that are reachable only from tags (in rack, 109 of 3001 objects).
const FetchAll = "git fetch --refetch --no-filter --tags"

// LostAdvice says that the repository lacks objects because others have moved; see
// [Repo.LostAlternates].
func LostAdvice(lost []string) string {
	return "git takes objects from " + quote.Path(lost[0]) + ", which is not there; the file objects/info/alternates of the git directory names it"
}

// TooLargeError names an object above the caller's size limit.
type TooLargeError struct {
	OID  OID
	Size int64
	Max  int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("object %s has %d bytes, more than %d", e.OID, e.Size, e.Max)
}

// hexIn lists the full object ids in git's stderr. The ids are only candidates for a missing
// object, because gitext does not interpret git's wording.
func hexIn(text []byte, digits int) []OID {
	var found []OID
	start := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && bytes.IndexByte([]byte("0123456789abcdef"), text[i]) >= 0 {
			continue
		}
		if i-start == digits {
			found = append(found, OID(text[start:i]))
		}
		start = i + 1
	}
	return found
}
