//go:build !unix

package sandbox

import (
	"context"
	"os"
	"os/exec"
)

const (
	terminate = iota
	kill
)

// ownGroup does nothing: without process groups only the command itself can be
// ended.
func ownGroup(_ context.Context, cmd *exec.Cmd) {}

func signalGroup(cmd *exec.Cmd, sig int) bool {
	return sig == kill && cmd.Process.Kill() == nil
}

func peakOf(*os.ProcessState) int64 { return 0 }

func exitOf(st *os.ProcessState) int { return st.ExitCode() }
