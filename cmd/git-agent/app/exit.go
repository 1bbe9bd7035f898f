package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"git-agent/agent/crash/input"
	"git-agent/agent/model"
	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"

	"github.com/alecthomas/kong"
)

// Exit codes. 128 and 129 are those of git's die() and of its usage errors. The
// manual page lists all of them in EXIT STATUS.
const (
	ExitFound       = 0   // the question was answered
	ExitNothing     = 1   // the command found no answer
	ExitLimit       = 2   // a limit or budget ended the work; the output is valid
	ExitModel       = 3   // the model's server is unreachable or refused the request
	ExitIncomplete  = 4   // the clone lacks objects or history that the answer needs
	ExitUnsure      = 5   // a suspect of szz --trailer is not probable enough, or a patch of fix passes only the model's own test
	ExitFatal       = 128 // an error ended the work
	ExitUsage       = 129 // the command line is wrong
	ExitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP ended the work
)

// ExitStatus is an error that sets the exit code and prints nothing, because
// everything has been printed.
type ExitStatus int

func (ExitStatus) Error() string { return "" }

// UsageError is returned if the command line is wrong.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// WithHint adds a hint to an error: a command or setting that helps.
func WithHint(err error, format string, args ...any) error {
	return session.WithHint(err, format, args...)
}

// WithAdvice turns the advice of an error about a crash report into a hint.
func WithAdvice(err error) error {
	var advised *input.Advised
	if errors.As(err, &advised) {
		return WithHint(err, "%s", advised.Advice)
	}
	return err
}

// WithAgainHint adds to the error of an interrupted investigation the command that continues it:
// the same command again, without the switches that would begin anew.
func (a *App) WithAgainHint(err error, anew ...string) error {
	again := []string{"git", "agent"}
	for i, arg := range a.Args {
		if arg == "--" {
			again = append(again, a.Args[i:]...)
			break
		}
		if !slices.Contains(anew, arg) {
			again = append(again, arg)
		}
	}
	return WithHint(err, "%s", ui.ShellJoin(again))
}

// UsageErrorOf turns an error of kong into a UsageError. It also returns the verb of the error:
// the program itself without a verb, or nil if kong does not know the verb.
func UsageErrorOf(err error) (*kong.Node, error) {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return nil, err
	}
	verb := parse.Context.Selected()
	missing, isMissing := strings.CutPrefix(parse.Error(), "expected ")
	switch {
	case isMissing && verb == nil:
		return parse.Context.Model.Node, Usagef("no command is given")
	case isMissing && len(verb.Children) > 0:
		return verb, Usagef("no command is given")
	case isMissing:
		return verb, Usagef("%s is missing", strings.Trim(missing, `"`))
	}
	if arg, found := strings.CutPrefix(parse.Error(), "unexpected argument "); found && takesTest(verb) {
		return verb, Unexpected(verb, arg)
	}
	return verb, Usagef("%s", ui.ParserWords(parse.Error()))
}

// Unexpected returns the usage error about an argument that a verb does not take. Where an option takes a test
// command, the argument is probably a part of one.
func Unexpected(verb *kong.Node, arg string) error {
	if takesTest(verb) {
		return Usagef("unexpected argument %q; --test='<command>' takes a whole command", arg)
	}
	return Usagef("unexpected argument %q", arg)
}

// takesTest reports whether an option of a verb takes a test command.
func takesTest(verb *kong.Node) bool {
	return verb != nil && slices.ContainsFunc(verb.Flags, func(f *kong.Flag) bool { return f.Name == "test" })
}

// Report prints the error that ended the command, with its hints, and returns the
// exit code. No other function chooses an exit code from an error.
func (a *App) Report(ctx context.Context, verb *kong.Node, err error) int {
	var status ExitStatus
	var usage *UsageError
	switch {
	case err == nil:
		return ExitFound
	case errors.Is(err, ui.ErrReaderGone):
		return ExitFound
	case errors.As(err, &status) && strings.TrimSpace(err.Error()) == "": // no other error is joined with it
		return int(status)
	case errors.As(err, &usage):
		fmt.Fprintf(a.Stderr, "error: %s\n", ui.Printable(usage.Text))
		if verb != nil && verb.Type == kong.ApplicationNode {
			ui.WriteRootUsage(a.Stderr, verb)
		} else {
			ui.WriteSynopsis(a.Stderr, verb)
		}
		return ExitUsage
	case errors.Is(context.Cause(ctx), ErrInterrupted):
		a.hints(ctx, err)
		return ExitInterrupted
	}
	fmt.Fprintf(a.Stderr, "fatal: %s\n", ui.FatalText(err))
	a.hints(ctx, err)
	var spent *session.SpentError
	var server *model.Error
	switch {
	case errors.As(err, &spent):
		return ExitLimit
	case errors.As(err, &server):
		return ExitModel
	case a.lacksObject(err):
		return ExitIncomplete
	}
	return ExitFatal
}

// lacksObject reports whether err ended the work because of an object missing in a partial clone.
// A missing object of any other repository is damage.
func (a *App) lacksObject(err error) bool {
	return errors.As(err, new(*gitext.MissingObjectError)) && a.Repo != nil && a.Repo.Partial()
}

// LackAdvice says how the objects come that the repository lacks.
func (a *App) LackAdvice() string {
	switch {
	case a.Repo == nil:
		return gitext.FetchAll
	case len(a.Repo.LostAlternates()) > 0:
		return gitext.LostAdvice(a.Repo.LostAlternates())
	case a.Repo.Partial():
		return gitext.FetchAll
	}
	return damageAdvice + "\n" + gitext.FetchAll
}

// hints prints the hints of err and of its wrapped errors.
func (a *App) hints(ctx context.Context, err error) {
	var hinted *session.HintedError
	if errors.As(err, &hinted) {
		a.Hint(ctx, hinted.Hint)
	}
	var missing *gitext.MissingObjectError
	if errors.As(err, &missing) {
		a.Hint(ctx, a.LackAdvice())
	}
	if errors.As(err, new(*gitext.UnmergedError)) {
		a.Hint(ctx, "resolve the conflict, and mark that with git add or git rm; --worktree takes the files as they are")
	}
	var git *gitcmd.Error
	if errors.As(err, &git) && git.Hint != "" {
		a.Hint(ctx, git.Hint)
	}
	if errors.As(err, new(*sandbox.TemporaryError)) || isTemporaryFull(err) {
		a.Hint(ctx, "TMPDIR=<directory> names another place for temporary files")
	}
}

// isTemporaryFull reports whether a temporary file was too much for its disk.
func isTemporaryFull(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.ENOSPC) && errors.As(err, &path) &&
		strings.HasPrefix(path.Path, filepath.Clean(os.TempDir())+string(filepath.Separator))
}
