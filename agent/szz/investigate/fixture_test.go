package investigate

import (
	"testing"

	"git-agent/agent/szz/szztest"
)

// A history is a repository of a test, with the methods that these tests need.
type history struct{ *szztest.History }

func newHistory(t testing.TB) *history {
	t.Helper()
	return &history{szztest.New(t)}
}
