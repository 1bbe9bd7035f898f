package candidate

import (
	"testing"
	"time"

	"git-agent/gitext"
)

// Commits of one minute, or a lone commit, do not lead to a division by zero.
func TestPace(t *testing.T) {
	at := func(hours int) gitext.LogEntry {
		return gitext.LogEntry{CommitTime: time.Unix(int64(hours)*3600, 0)}
	}
	for _, tc := range []struct {
		name    string
		entries []gitext.LogEntry
		want    float64
	}{
		{"none", nil, 0},
		{"one", []gitext.LogEntry{at(5)}, 0},
		{"one a day", []gitext.LogEntry{at(72), at(30), at(24)}, 1},
		{"clock set back", []gitext.LogEntry{at(1), at(9)}, 0},
	} {
		if got := paceOf(tc.entries); got != tc.want {
			t.Errorf("%s: %g, want %g", tc.name, got, tc.want)
		}
	}
}
