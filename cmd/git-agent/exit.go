package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/flagtable"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"

	"github.com/alecthomas/kong"
)

// Exit codes: git's own where git has one (128 for die, 129 for usage), and
// the manual page's EXIT STATUS otherwise.
const (
	exitFound       = 0   // the question was answered
	exitNothing     = 1   // looked, and there is no answer
	exitLimit       = 2   // a limit or budget ended the work; what was printed stands
	exitModel       = 3   // the model's endpoint is unreachable or refused
	exitFatal       = 128 // an error ended the work
	exitUsage       = 129 // the command line is wrong
	exitInterrupted = 130 // SIGINT, SIGTERM or SIGHUP ended the work
)

// exitStatus is an error without words: all that is to be said was said.
type exitStatus int

func (exitStatus) Error() string { return "" }

// usageError is a command line that cannot be run.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// withHint adds to an error the command or key that helps.
func withHint(err error, format string, args ...any) error {
	return session.WithHint(err, format, args...)
}

// usageErrorOf turns a kong error into ours, and names the verb whose arguments it
// is about: nil when there is none, the program itself when none was given.
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
	if n := countOption(verb, args); n != "" && strings.HasPrefix(parse.Error(), "unknown flag -"+n[:1]) {
		return verb, usagef("unknown flag -%s, did you mean -n %s?", n, n)
	}
	return verb, usagef("%s", flagtable.ParserWords(parse.Error()))
}

// countOption is the number in an option such as -3, which git log takes for its
// -n 3, when verb has that one; else "".
func countOption(verb *kong.Node, args []string) string {
	if verb == nil || !slices.ContainsFunc(verb.Flags, func(f *kong.Flag) bool { return f.Short == 'n' }) {
		return ""
	}
	for _, arg := range args {
		if digits := strings.TrimPrefix(arg, "-"); digits != arg && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return digits
		}
	}
	return ""
}

// report is the one place where an error becomes text and an exit code.
func (a *app) report(ctx context.Context, verb *kong.Node, err error) int {
	var status exitStatus
	var usage *usageError
	switch {
	case err == nil:
		return exitFound
	case errors.Is(err, errReaderGone):
		return exitFound
	case errors.As(err, &status) && strings.TrimSpace(err.Error()) == "": // nothing else went wrong
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
	fmt.Fprintf(a.stderr, "fatal: %s\n", fatalText(err))
	a.hints(ctx, err)
	var spent *session.SpentError
	var server *model.Error
	switch {
	case errors.As(err, &spent):
		return exitLimit
	case errors.As(err, &server):
		return exitModel
	}
	return exitFatal
}

// fatalText is what the error says, without the prefix that git gave it.
func fatalText(err error) string {
	if errors.Is(err, gitext.ErrNotRepository) {
		return "not a git repository (or any of the parent directories)"
	}
	text := strings.TrimSpace(err.Error())
	return layout.Printable(strings.TrimPrefix(text, "fatal: "))
}

// hints prints the hints that err and its causes carry.
func (a *app) hints(ctx context.Context, err error) {
	var hinted *session.HintedError
	if errors.As(err, &hinted) {
		a.hint(ctx, hinted.Hint)
	}
	var missing *gitext.MissingObjectError
	if errors.As(err, &missing) {
		a.hint(ctx, fetchAllHint)
	}
	var git *gitext.Error
	if errors.As(err, &git) && git.Hint != "" {
		a.hint(ctx, git.Hint)
	}
}
