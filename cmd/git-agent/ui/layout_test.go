package ui

import "testing"

// A line with any text is cut where it would wrap.
func TestCutColumns(t *testing.T) {
	for text, want := range map[string]int{"plain": 5, "Grüße": 5, "e\u0301": 1, "世界": 4, "👩\u200d👧": 4, "한글": 4, "ａ": 2, "→": 1} {
		if got := CutColumns(text, want); got != text {
			t.Errorf("%q does not fit into %d columns: %q", text, want, got)
		}
		if got := CutColumns(text, want-1); got == text {
			t.Errorf("%q fits into %d columns", text, want-1)
		}
	}
	for text, want := range map[string]string{"世界": "世", "abcd": "abc", "ab世": "ab", "e\u0301bcd": "e\u0301bc"} {
		if got := CutColumns(text, 3); got != want {
			t.Errorf("%q is cut to %q, want %q", text, got, want)
		}
	}
}
