package usercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode"

	"git-agent/gitext/gitcmd"
)

const (
	// credentialTimeout allows time for a PIN or a touch on a security key.
	credentialTimeout = time.Minute
	// maxCredential bounds the bytes read; a key has a few hundred.
	maxCredential = 64 << 10
)

// Credential runs the user's shell command that prints a secret, as git runs a
// credential helper, and returns the first line of its output. The command gets
// the user's environment without the keys of this program, and may ask on the
// terminal; its stderr is discarded. The command must come from a trusted
// setting (gitconfig.Value.Trusted).
//
// No error contains the command or any of its output, because people write keys
// into both.
func Credential(ctx context.Context, command string) (string, error) {
	limited, cancel := context.WithTimeout(ctx, credentialTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "sh", "-c", command)
	cmd.Env = gitcmd.WithoutKeys(os.Environ())
	cmd.WaitDelay = gitcmd.Grace
	var out strings.Builder
	cmd.Stdout = &limitedWriter{w: &out, left: maxCredential}
	err := gitcmd.StartChild(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if interrupted(cmd.ProcessState) {
		select { // Ctrl-C also ends this program, but its signal may arrive later
		case <-ctx.Done():
		case <-time.After(gitcmd.Grace):
		}
	}
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case limited.Err() != nil:
		return "", fmt.Errorf("the command did not end within %s", credentialTimeout)
	case errors.Is(err, exec.ErrWaitDelay):
		return "", errors.New("the command left a process behind that keeps its output open")
	case err != nil:
		return "", fmt.Errorf("the command ended with %s; run it by hand to see why", cmd.ProcessState)
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return "", errors.New("the command printed nothing on its first line")
	case strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", errors.New("the first line of the command's output is not printable text")
	}
	return line, nil
}

// interrupted is true when SIGINT ended the process.
func interrupted(st *os.ProcessState) bool {
	if st == nil {
		return false // it was not started
	}
	ws, ok := st.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled() && ws.Signal() == syscall.SIGINT
}

// limitedWriter keeps the first bytes and drops the rest, so that a command with
// more output does not fail.
type limitedWriter struct {
	w    io.Writer
	left int
}

// Write never fails.
func (l *limitedWriter) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.left -= n
	l.w.Write(p[:n]) // a strings.Builder does not fail
	return len(p), nil
}
