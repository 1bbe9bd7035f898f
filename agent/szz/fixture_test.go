package szz

import (
	"testing"

	"git-agent/gitext/gittest"
)

// A history is a repository of a test. The tests of the other rooms use szztest,
// which imports this package.
type history struct{ *gittest.History }

func newHistory(t *testing.T) *history {
	t.Helper()
	return &history{gittest.New(t)}
}

func subjects(v *Answer) []string {
	var out []string
	for _, s := range v.Suspects {
		out = append(out, s.Commit.Subject())
	}
	return out
}
