package cache

import (
	"testing"

	lib "modernc.org/sqlite/lib"
)

// A read that fails once (EIO) does not set the file aside: the next read may
// succeed, and recorded runs are the user's data. A file that ends early counts
// as damaged.
func TestFailedReadsAreNoDamage(t *testing.T) {
	for code, want := range map[int]errorClass{
		lib.SQLITE_IOERR_CORRUPTFS:  denied,
		lib.SQLITE_IOERR_READ:       denied,
		lib.SQLITE_IOERR_SHORT_READ: damaged,
		lib.SQLITE_CORRUPT:          damaged,
	} {
		if got := classifyCode(code); got != want {
			t.Errorf("code %d is %v, want %v", code, got, want)
		}
	}
}
