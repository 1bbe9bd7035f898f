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
	java := []byte("[ERROR] org.A.b -- Time elapsed: 0.1 s <<< ERROR!\njava.lang.StringIndexOutOfBoundsException: index 0, length 0\n\tat java.base/x\n" +
		"Caused by: java.lang.NullPointerException\n")
	if got := raised(java); !slices.Equal(got, []string{"StringIndexOutOfBoundsException", "NullPointerException"}) {
		t.Errorf("raised %q", got)
	}
	rust := []byte("thread 'a' panicked at src/lib.rs:3:5:\nattempt to subtract with overflow\nthread 'b' panicked at src/lib.rs:9:5:\n" +
		"index out of bounds: the len is 0 but the index is 1\n")
	if got := raised(rust); !slices.Equal(got, []string{"attempt to subtract with overflow", "index out of bounds"}) {
		t.Errorf("raised %q", got)
	}
	if got := unknownNames(out); !slices.Equal(got, []string{"issupserset", "lenght"}) {
		t.Errorf("unknown %q", got)
	}
}
