package fix

import (
	"slices"
	"strings"
	"testing"
)

// Lists keep their order and lose doubles; auto and none stand alone; an error names the
// choices.
func TestParseHistory(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]Heuristic{
		"fl_diff": {FlDiff}, " fn_pair, fl_diff , fn_pair ": {FnPair, FlDiff}, "auto": nil, "none": nil,
	} {
		got, auto, err := ParseHistory(text)
		if err != nil || !slices.Equal(got, want) || auto != (text == "auto") {
			t.Errorf("%q: %q, %v, %v", text, got, auto, err)
		}
	}
	for _, text := range []string{"", "diff", "none,fl_diff", "fl_diff,auto"} {
		if got, _, err := ParseHistory(text); err == nil || !strings.Contains(err.Error(), "give auto, none, or some of fn_all, fn_pair and fl_diff") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
