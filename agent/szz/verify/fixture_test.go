package verify

import (
	"testing"

	"git-agent/agent/szz/szztest"
)

// A history is a repository of a test, with what these tests ask of it.
type history struct{ *szztest.History }

func newHistory(t testing.TB) *history {
	t.Helper()
	return &history{szztest.New(t)}
}
