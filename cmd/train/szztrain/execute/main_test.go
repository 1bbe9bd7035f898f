package execute

import (
	"os"
	"testing"

	"git-agent/agent/sandbox"
)

// The tests run commands in sandboxes.
func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}
