package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"git-agent/agent/model"
	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/flagtable"
	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"

	"github.com/alecthomas/kong"
)

// Exit codes. 128 and 129 are those of git's die() and of its usage errors. The
// manual page lists all of them in EXIT STATUS.
const (
	exitFound       = 0   // the question was answered
	exitNothing     = 1   // the command found no answer
	exitLimit       = 2   // a limit or budget ended the work; what was printed is valid
	exitModel       = 3   // the model's server is unreachable or refused the request
	exitIncomplete  = 4   // the clone lacks objects or history that the answer needs
	exitUnsure      = 5   // szz --trailer printed no trailer, because a suspect is not probable enough; fix has a patch that passes only the model's own test
	exitFatal       = 128 // an error ended the work
	exitUsage       = 129 // the command line is wrong
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP ended the work
)

// exitStatus is an error that sets the exit code and prints nothing, because
// everything has been printed.
type exitStatus int

func (exitStatus) Error() string { return "" }

// usageError is returned if the command line is wrong.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// usagef returns a usageError.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// withHint adds a hint to an error: a command or setting that helps.
func withHint(err error, format string, args ...any) error {
	return session.WithHint(err, format, args...)
}

// withAgainHint adds to the error of an interrupted investigation the command that goes on
// with it, which is the same one again.
func (a *app) withAgainHint(err error) error {
	return withHint(err, "%s", layout.ShellJoin(append([]string{"git", "agent"}, a.args...)))
}

// usageErrorOf turns an error of kong into a usageError. It also returns the verb
// that the error is about, which is the program itself if no verb is given, and
// nil if kong does not know.
func usageErrorOf(err error, args []string) (*kong.Node, error) {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return nil, err
	}
	verb := parse.Context.Selected()
	missing, isMissing := strings.CutPrefix(parse.Error(), "expected ")
	switch {
	case isMissing && verb == nil:
		return parse.Context.Model.Node, usagef("no command is given")
	case isMissing && len(verb.Children) > 0:
		return verb, usagef("no command is given")
	case isMissing:
		return verb, usagef("%s is missing", strings.Trim(missing, `"`))
	}
	return verb, usagef("%s", flagtable.ParserWords(parse.Error()))
}

// report prints the error that ended the command, with its hints, and returns the
// exit code. No other function chooses an exit code from an error.
func (a *app) report(ctx context.Context, verb *kong.Node, err error) int {
	var status exitStatus
	var usage *usageError
	switch {
	case err == nil:
		return exitFound
	case errors.Is(err, terminal.ErrReaderGone):
		return exitFound
	case errors.As(err, &status) && strings.TrimSpace(err.Error()) == "": // no other error is joined with it
		return int(status)
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "error: %s\n", layout.Printable(usage.text))
		if verb != nil && verb.Type == kong.ApplicationNode {
			flagtable.WriteRootUsage(a.stderr, verb)
		} else {
			flagtable.WriteSynopsis(a.stderr, verb)
		}
		return exitUsage
	case errors.Is(context.Cause(ctx), errInterrupted):
		a.hints(ctx, err)
		return exitInterrupted
	}
	fmt.Fprintf(a.stderr, "fatal: %s\n", layout.FatalText(err))
	a.hints(ctx, err)
	var spent *session.SpentError
	var server *model.Error
	switch {
	case errors.As(err, &spent):
		return exitLimit
	case errors.As(err, &server):
		return exitModel
	case a.lacksObject(err):
		return exitIncomplete
	}
	return exitFatal
}

// lacksObject reports whether err ended the work because a partial clone lacks an
// object. A missing object of any other repository is damage.
func (a *app) lacksObject(err error) bool {
	return errors.As(err, new(*gitext.MissingObjectError)) && a.repo != nil && a.repo.Partial()
}

// hints prints the hints of err and of the errors that it wraps.
func (a *app) hints(ctx context.Context, err error) {
	var hinted *session.HintedError
	if errors.As(err, &hinted) {
		a.hint(ctx, hinted.Hint)
	}
	var missing *gitext.MissingObjectError
	if errors.As(err, &missing) {
		if a.repo != nil && !a.repo.Partial() {
			a.hint(ctx, damageAdvice)
		}
		a.hint(ctx, gitext.FetchAll)
	}
	if errors.As(err, new(*gitext.UnmergedError)) {
		a.hint(ctx, "resolve the conflict, and mark that with git add or git rm; --worktree takes the files as they are")
	}
	var git *gitcmd.Error
	if errors.As(err, &git) && git.Hint != "" {
		a.hint(ctx, git.Hint)
	}
	if errors.As(err, new(*sandbox.TemporaryError)) || isTemporaryFull(err) {
		a.hint(ctx, "TMPDIR=<directory> names another place for temporary files")
	}
}

// isTemporaryFull reports whether a temporary file was too much for its disk.
func isTemporaryFull(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.ENOSPC) && errors.As(err, &path) && strings.HasPrefix(path.Path, filepath.Clean(os.TempDir())+string(filepath.Separator))
}
