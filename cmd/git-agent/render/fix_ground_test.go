package render

import (
	"bytes"
	"strings"
	"testing"

	"git-agent/agent/fix"
)

// A function suspected without a ground has no empty line instead of one.
func TestFixOfAFunctionWithoutAGround(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	r := FixHuman{W: &b, Width: 80, Place: func(path string) string { return path }}
	ans := &fix.Answer{Localization: fix.Localization{Locations: []fix.Location{{Path: "a.c", Function: "f"}, {Path: "a.c", Function: "g"}}}}
	if err := r.Fix("0123456789012345678901234567890123456789", ans); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if line != "\n" && strings.TrimSpace(line) == "" {
			t.Errorf("a line of spaces in %q", b.String())
		}
	}
}
