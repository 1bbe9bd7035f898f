package offline

import (
	"os"
	"testing"

	"git-agent/agent/sandbox"
)

// TestMain lets the test binary act as the sandbox helper.
func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}
