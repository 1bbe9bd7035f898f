package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"git-agent/cmd/git-agent/datadir"
	"git-agent/cmd/git-agent/flagtable"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"

	"github.com/alecthomas/kong"
)

// environ looks up an environment variable. nil is an empty environment.
type environ func(key string) (value string, ok bool)

// get returns the value of a variable, or "" if it is unset.
func (e environ) get(key string) string {
	if e == nil {
		return ""
	}
	v, _ := e(key)
	return v
}

// app holds what a verb uses of the process: environment, streams, clock, and the
// open repository. Verbs have a method Run(ctx context.Context, a *app) error.
type app struct {
	env    environ
	stdin  io.Reader
	stdout io.Writer // escapes what a terminal would act on; for text and JSON
	raw    io.Writer // the same stream without escaping
	stderr io.Writer // safe for concurrent use
	args   []string  // the command line, for the hint that says how to resume
	flags  globals
	quiet  atomic.Bool // -q is given; the goroutine that watches signals reads it

	now  func() time.Time
	repo *gitext.Repo // nil until open is called
	data *datadir.Store

	given  warnings        // what warnOnce has printed
	warned map[string]bool // settings that warnUntrusted has warned about
	colors []string        // escape sequences that stdout must not escape
}

// run runs the program and returns its exit code. Everything that it uses of the
// process is an argument, so that tests can replace it.
func run(ctx context.Context, env environ, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	a := &app{env: env, stdin: stdin, raw: terminal.AnswerWriter{Writer: stdout}, stderr: &terminal.LockedWriter{W: stderr}, args: args, now: time.Now}
	a.stdout = terminal.TextWriter{W: a.raw, Colors: &a.colors}
	a.data = datadir.New(env.get, a.warnOnce, versionString())
	ctx, stop := withSignals(ctx, a.stderr, &a.quiet)
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
	before, paths := splitPaths(args)
	parser, err := newParserFor(before, &c, a)
	if err != nil {
		return nil, err
	}
	before = countOptions(parser.Model.Node, before)
	k, err := parser.Parse(before)
	a.flags = c.globals
	a.quiet.Store(c.Quiet)
	switch {
	case errors.Is(err, errAnswered):
		return nil, nil
	case errors.Is(err, terminal.ErrReaderGone): // from --help, which prints while the command line is parsed
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

// open opens the repository, once. It is that of the current directory unless opt
// names another. A bad value of agent.gitMemory is an error, because every call of git
// needs it.
func (a *app) open(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
	repo, err := a.openUnchecked(ctx, opt)
	if err != nil {
		return nil, err
	}
	config, _ := a.data.Config(ctx) // a configuration that cannot be read is reported where a setting decides
	for _, v := range config[strings.ToLower(gitcmd.MemorySetting)] {
		if !v.Trusted() {
			continue
		}
		if err := datadir.CheckSize(gitcmd.MemorySetting)(v); err != nil {
			return nil, err
		}
	}
	a.warnUnknown(config)
	return repo, nil
}

// openUnchecked is open without a look at the settings.
func (a *app) openUnchecked(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
	if a.repo != nil {
		return a.repo, nil
	}
	if a.flags.Verbose > 0 {
		opt.Log = a.logCall
	}
	go a.data.Config(ctx) // read it while git looks for the repository; locate waits for it
	opt.Locate, opt.Index, opt.Searched = a.data.Locate(ctx), a.data.Index, a.data.Searched
	if opt.Dir == "" {
		opt.Settings = a.data.Config
	}
	repo, err := gitext.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	a.repo = repo
	return repo, nil
}
