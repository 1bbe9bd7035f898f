package szz

import (
	"strings"
	"testing"
)

// The number of a report is not taken for an abbreviated hash, neither in prose nor in a
// trailer. A decimal word without a word for a report before it may be a hash.
func TestReportNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"regression since bug 1234567":                   true,
		"fixes #1234567":                                 true,
		"caused by https://bugs.example.org/1234567":     true,
		"fixes https://bugs.example.org/show?id=1234567": true,
		"due to rhbz#1234567":                            true,
		"regression since 1234567":                       false,
		"caused by commit 1234567":                       false,
		"broken by debug 1234567":                        false,
	} {
		at := strings.Index(text, "1234567")
		if got := isReportNumber(text, at, at+7); got != want {
			t.Errorf("%q: %t", text, got)
		}
		if got := len(proseAnnotations(text)); got != 0 && want {
			t.Errorf("%q has %d annotations", text, got)
		}
	}
	if got := len(proseAnnotations("fix a leak\n\nIt was caused by commit 1234567.")); got != 1 {
		t.Errorf("a hash of digits alone makes %d annotations", got)
	}
	if isReportNumber("bug 123456a", 4, 11) {
		t.Error("a hash with a letter is taken for a number")
	}
}
