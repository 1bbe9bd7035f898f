package eval

import (
	"os"
	"testing"
)

// envKill is set in a child process, which shares the secret of its parent.
const envKill = "GIT_AGENT_EVAL_KILL"

// TestMain gives the tests their own secret for traces.db.
func TestMain(m *testing.M) {
	if os.Getenv(envKill) != "" {
		os.Exit(m.Run())
	}
	os.Exit(runWithState(m))
}

func runWithState(m *testing.M) int {
	dir, err := os.MkdirTemp("", "git-agent-eval-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	os.Setenv("XDG_STATE_HOME", dir)
	return m.Run()
}
