package fixtool

import (
	"fmt"
	"strings"
	"testing"
)

// A cut is never inside of a short quotation of a test's expected text, and a note about
// omitted lines is never longer than these lines.
func TestExcerptKeepsQuotations(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for i := range 300 {
		fmt.Fprintf(&out, "a line of noise, number %d\n", i)
	}
	out.WriteString("a_test.go:7: mismatch\n  expected: |-\n")
	var quoted strings.Builder
	for i := range 30 {
		fmt.Fprintf(&quoted, "    line %d of the text\n", i)
	}
	out.WriteString(quoted.String() + "  at: a_test.go:7\n")
	for i := range 300 {
		fmt.Fprintf(&out, "more noise, number %d\n", i)
	}
	got := Excerpt([]byte(out.String()), 3200)
	if !strings.Contains(got, "expected: |-\n"+quoted.String()) {
		t.Errorf("%s", got)
	}
	for gap, want := range map[string]string{"ab": "1\nab\n2\n", "a line that is longer than a note": "1\n… (1 line)\n2\n"} {
		if got := joinKept([]string{"1", gap, "2"}, []bool{true, false, true}); got != want {
			t.Errorf("%q", got)
		}
	}
}
