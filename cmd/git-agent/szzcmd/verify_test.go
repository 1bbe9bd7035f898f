package szzcmd

import (
	"strings"
	"testing"
)

func TestNoCommandNamesATest(t *testing.T) {
	// The first file that a command might run is named, and not the data beside it: inih 498f34b changes thirteen baselines.
	t.Parallel()
	for files, want := range map[string]string{
		"tests/baseline.txt tests/unittest.c": "no command is known that runs tests/unittest.c;",
		"tests/data/a.toml tests/data/b.toml": "the fix changes only data, such as tests/data/a.toml;",
	} {
		if got := noCommand(strings.Fields(files)).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s", files, got)
		}
	}
}
