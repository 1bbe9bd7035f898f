package generate

import (
	"slices"
	"testing"
)

// The output of the failing tests names exceptions to catch, and names to correct.
func TestCluesOfAnOutput(t *testing.T) {
	t.Parallel()
	out := []byte("E       OverflowError: timestamp out of range\nE   AssertionError: x\njson.decoder.JSONDecodeError: Expecting value\nE   KeyError\n" +
		"E   AttributeError: 'set' object has no attribute 'issupserset'\nTypeError: a.lenght is not a function\n")
	if got := raised(out); !slices.Equal(got, []string{"OverflowError", "JSONDecodeError", "KeyError", "AttributeError", "TypeError"}) {
		t.Errorf("raised %q", got)
	}
	if got := unknownNames(out); !slices.Equal(got, []string{"issupserset", "lenght"}) {
		t.Errorf("unknown %q", got)
	}
}
