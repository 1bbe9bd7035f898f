package main

import (
	"context"
	"errors"
	"io"
	"time"

	"git-agent/cmd/git-agent/flagtable"
	"git-agent/gitext"

	"github.com/alecthomas/kong"
)

// environ looks up an environment variable; nil is an environment without any.
type environ func(key string) (value string, ok bool)

// get returns a variable's value, "" when it is unset.
func (e environ) get(key string) string {
	if e == nil {
		return ""
	}
	v, _ := e(key)
	return v
}

// app is what a verb needs of the world. Its Run method has the form
// Run(ctx context.Context, a *app) error.
type app struct {
	env    environ
	stdin  io.Reader
	stdout io.Writer // for text that people read, and for JSON
	raw    io.Writer // the same stream, for bytes as they stand
	stderr io.Writer // safe for concurrent use
	args   []string  // as typed, for the hint that says how to resume
	flags  globals

	now  func() time.Time
	repo *gitext.Repo // opened by open
	data dataStore    // where data is

	warned map[string]bool // settings that were complained about
	colors []string        // sequences of our own in text
}

// run is the program: everything it touches comes in as an argument.
func run(ctx context.Context, env environ, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	a := &app{env: env, stdin: stdin, raw: answerWriter{stdout}, stderr: &lockedWriter{w: stderr}, args: args, now: time.Now}
	a.stdout = textWriter{a.raw, a}
	ctx, stop := withSignals(ctx, a.stderr)
	defer stop()
	verb, err := a.dispatch(ctx, args)
	if a.repo != nil {
		err = errors.Join(err, a.repo.Close())
	}
	return a.report(ctx, verb, err)
}

// dispatch parses args and runs the verb they name.
func (a *app) dispatch(ctx context.Context, args []string) (*kong.Node, error) {
	var c cli
	parser, err := newParser(&c, a)
	if err != nil {
		return nil, err
	}
	before, paths := splitPaths(args)
	k, err := parser.Parse(before)
	a.flags = c.globals
	switch {
	case errors.Is(err, errAnswered):
		return nil, nil
	case errors.Is(err, errReaderGone): // of --help, which answers while the line is parsed
		return nil, err
	case c.ShowVersion && (err != nil || k.Selected() == nil):
		return nil, printVersion(a.stdout)
	case err != nil:
		return usageErrorOf(err, before)
	}
	verb := k.Selected()
	if c.ShowVersion {
		return verb, printVersion(a.stdout)
	}
	if taker, ok := verb.Target.Addr().Interface().(flagtable.PathTaker); ok {
		taker.SetPaths(paths)
	} else if len(paths) > 0 {
		return verb, usagef("unexpected argument %q", paths[0])
	}
	k.BindTo(ctx, (*context.Context)(nil))
	return verb, k.Run(a)
}

// open opens the repository of the current directory once.
func (a *app) open(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
	if a.repo != nil {
		return a.repo, nil
	}
	if a.flags.Verbose > 0 {
		opt.Log = a.logCall
	}
	go a.config(ctx) // while git looks for the repository; locate waits for it
	opt.Locate = a.locate(ctx)
	if opt.Dir == "" {
		opt.Settings = a.config
	}
	repo, err := gitext.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	a.repo = repo
	return repo, nil
}
