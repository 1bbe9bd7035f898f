package format

import (
	"strings"
	"testing"
)

// A linter's line has the form of a frame that Honeybadger shows, but how bad its finding is in place of the function.
func TestFindingOfLinterIsNoFrame(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"lib/a.rb:12 - error\nlib/b.rb:7 - warning\n":                   0,
		"lib/a.rb:12 - sell\nlib/b.rb:7 - error\nlib/b.rb:9 - <main>\n": 3,
	} {
		got := 0
		if report, err := Read(strings.NewReader(text)); err == nil {
			got = len(report.Stacks[0].Frames)
		}
		if got != want {
			t.Errorf("%q: %d frames, want %d", text, got, want)
		}
	}
}
