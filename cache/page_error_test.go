package cache

import "testing"

// A page that the disk could not read is no damage: the file stays in place. A
// page missing in the file is damage.
func TestPageError(t *testing.T) {
	for text, want := range map[string]errorClass{
		"Tree 5 page 9: unable to get the page. error code=266":  denied,  // SQLITE_IOERR_READ
		"Tree 5 page 9: unable to get the page. error code=8458": denied,  // SQLITE_IOERR_CORRUPTFS
		"Tree 5 page 9: unable to get the page. error code=522":  damaged, // SQLITE_IOERR_SHORT_READ
		"Tree 5 page 9: unable to get the page. error code=11":   damaged, // SQLITE_CORRUPT
	} {
		if err := pageError(text); err == nil || classify(err) != want {
			t.Errorf("%q: %v is of class %d, want %d", text, err, classify(err), want)
		}
	}
	if err := pageError("Tree 5 page 9: btreeInitPage() returns error code 11"); err != nil {
		t.Errorf("a page that could be read: %v", err)
	}
}
