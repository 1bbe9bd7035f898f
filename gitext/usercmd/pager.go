// Package usercmd runs two of the user's own commands: the pager, and the command that prints a
// key. Neither command ever comes from a repository's configuration, and neither gets a key of
// this program.
package usercmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
)

// The pager owns the terminal and gets the terminal's signals, and only the user ends it.

// usualPager is git's built-in default. It replaces a pager from the repository's configuration.
const usualPager = "less"

// PagerCommand returns the user's pager as a shell command, "" for none. Like git, it follows
// GIT_PAGER, core.pager and PAGER. But it ignores a core.pager in the repository's own
// configuration and its included files: such a value may have come with the repository, and would
// run a program.
func PagerCommand(ctx context.Context) string {
	command, set := os.LookupEnv("GIT_PAGER")
	foreign := false
	if !set {
		command, set, foreign = gitconfig.UserValue(ctx, "core.pager")
	}
	if !set {
		command, set = os.LookupEnv("PAGER")
	}
	switch {
	case set:
	case foreign:
		command = usualPager
	default:
		command, _ = gitcmd.AsUser(ctx, "var", "GIT_PAGER") // "" on failure: no pager
	}
	if command == "cat" {
		return ""
	}
	return command
}

// ErrNoPager says that the shell could not run the pager, so nobody has seen the text.
var ErrNoPager = errors.New("the pager cannot be run")

// A Pager is a running pager. It shows the text written to it.
type Pager struct {
	in   io.WriteCloser
	cmd  *exec.Cmd
	wait func() error // waits for the pager to end
}

// StartPager runs a pager's shell command on the terminal, with git's defaults for less and lv
// unless the user has set them.
func StartPager(command string, out, errs *os.File) (*Pager, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.Env = append(gitcmd.WithoutKeys(os.Environ()), "GIT_PAGER_IN_USE=true")
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		if name, _, _ := strings.Cut(preset, "="); os.Getenv(name) == "" {
			cmd.Env = append(cmd.Env, preset)
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start pager %q: %w", command, err)
	}
	return &Pager{in: in, cmd: cmd, wait: sync.OnceValue(cmd.Wait)}, nil
}

// Write sends b to the pager. The error is EPIPE after the user has quit the pager, and
// ErrNoPager if it never ran.
func (p *Pager) Write(b []byte) (int, error) {
	n, err := p.in.Write(b)
	if err != nil && p.missing(p.wait()) {
		err = ErrNoPager
	}
	return n, err
}

// These are the exit codes of a shell that cannot run a command.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// missing reports whether an ended pager never ran.
func (p *Pager) missing(err error) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && (exit.ExitCode() == exitNotFound || exit.ExitCode() == exitNotExecutable)
}

// Close ends the text and waits until the user quits the pager. The error is ErrNoPager if
// it never ran; any other exit code of the pager is ignored.
func (p *Pager) Close() error {
	err := p.in.Close()
	var exit *exec.ExitError
	werr := p.wait()
	switch {
	case p.missing(werr):
		return ErrNoPager
	case werr != nil && !errors.As(werr, &exit):
		return fmt.Errorf("pager: %w", werr)
	case errors.Is(err, os.ErrClosed):
		return nil
	}
	return err
}
