//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

const (
	terminate = iota
	kill
)

// ownGroup does nothing: without process groups only the command itself can be
// ended.
func ownGroup(cmd *exec.Cmd) {}

func signalGroup(cmd *exec.Cmd, sig int) bool {
	return sig == kill && cmd.Process.Kill() == nil
}

func peakOf(*os.ProcessState) int64 { return 0 }

func exitOf(st *os.ProcessState) int { return st.ExitCode() }
