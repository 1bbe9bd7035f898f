// Command git-agent is the program behind `git agent`. It answers questions about
// a repository's history. A verb parses its flags, builds a question, calls a
// package below agent/ and renders the result. The work of the verbs is in
// packages below this one.
//
// The program prints the answer to standard output and everything else to
// standard error. Its exit codes are those of package app and of the manual page. It
// opens repositories and files only when needed, and it writes to a repository
// only if an option requests this.
//
// This package decides no answer. Code with knowledge about bugs beyond the
// options of a verb belongs to the packages below agent/.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"git-agent/agent/crash/address"
	"git-agent/agent/sandbox"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"

	"github.com/alecthomas/kong"
)

func main() {
	sandbox.Helper() // does not return if this process was started as the sandbox's helper
	address.Helper() // likewise, if it was started to read a binary
	// A command of --verify-cmd must not be able to read API keys from this process.
	if err := sandbox.Harden(); err != nil {
		fmt.Fprintf(os.Stderr, "warning: other processes may read this one's environment: %v\n", err)
	}
	os.Exit(run(context.Background(), app.Environ(os.LookupEnv), os.Stdin, os.Stdout, os.Stderr, os.Args[1:]))
}

// run runs the program and returns its exit code. All used parts of the process
// are arguments, so that tests can replace them.
func run(ctx context.Context, env app.Environ, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	a := app.NewApp(env, stdin, stdout, stderr, args, otherSettings)
	ctx, stop := app.WithSignals(ctx, a.Stderr, &a.Quiet)
	defer stop()
	verb, err := dispatch(ctx, a, args)
	return a.Report(ctx, verb, errors.Join(err, a.Close()))
}

// dispatch parses args and runs the verb in args.
func dispatch(ctx context.Context, a *app.App, args []string) (*kong.Node, error) {
	var c cli
	before, paths := splitPaths(args)
	parser, err := newParserFor(before, &c, a)
	if err != nil {
		return nil, err
	}
	before = countOptions(parser.Model.Node, before)
	k, err := parser.Parse(before)
	a.Flags = c.Globals
	a.Quiet.Store(c.Quiet)
	switch {
	case errors.Is(err, app.ErrAnswered):
		return nil, nil
	case errors.Is(err, ui.ErrReaderGone): // from --help, which prints during parsing
		return nil, err
	case c.ShowVersion && (err != nil || k.Selected() == nil):
		return nil, printVersion(a.Stdout)
	case err != nil:
		return app.UsageErrorOf(err)
	}
	verb := k.Selected()
	if err := emptyValue(k); err != nil {
		return verb, err
	}
	if c.ShowVersion {
		return verb, printVersion(a.Stdout)
	}
	switch taker := verb.Target.Addr().Interface().(type) {
	case ui.PathTaker:
		taker.SetPaths(paths)
	case ui.WordTaker:
		taker.SetWords(paths)
	default:
		if len(paths) > 0 {
			return verb, app.Unexpected(verb, paths[0])
		}
	}
	k.BindTo(ctx, (*context.Context)(nil))
	return verb, k.Run(a)
}
