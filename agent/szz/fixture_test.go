package szz

import (
	"testing"

	"git-agent/gitext/gittest"
)

// A history is a repository of a test. szztest has the same for the other
// rooms; it imports this package.
type history struct{ *gittest.History }

func newHistory(t *testing.T) *history {
	t.Helper()
	return &history{gittest.New(t)}
}

func subjects(v *Verdict) []string {
	var out []string
	for _, s := range v.Suspects {
		out = append(out, s.Commit.Subject())
	}
	return out
}
