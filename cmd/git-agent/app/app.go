// Package app has the shared parts of all commands of git agent: the process with its streams and
// settings, exit codes and errors, progress, pathspecs, and the options for the engine, the model
// and the sandbox.
package app

import (
	"context"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"git-agent/cmd/git-agent/doctor"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// Environ looks up an environment variable. nil is an empty environment.
type Environ func(key string) (value string, ok bool)

// Get returns the value of a variable, or "" if it is unset.
func (e Environ) Get(key string) string {
	if e == nil {
		return ""
	}
	v, _ := e(key)
	return v
}

// App has the parts of the process that a verb uses: environment, streams, clock, and the open
// repository. Verbs have a method Run(ctx context.Context, a *app.App) error.
type App struct {
	Env    Environ
	Stdin  io.Reader
	Stdout io.Writer // escapes characters that control a terminal; for text and JSON
	Raw    io.Writer // the same stream without escaping
	Stderr io.Writer // safe for concurrent use
	Args   []string  // the command line, for the hint about resuming
	Flags  Globals
	Quiet  atomic.Bool // -q is given; the goroutine for signals reads it

	Now  func() time.Time
	Repo *gitext.Repo // nil until open is called
	Data *store.Store

	settings  []doctor.Setting // besides those of a model
	telemetry *telemetry       // nil if no runs are sent

	given  warnings        // the warnings printed by WarnOnce
	Warned map[string]bool // settings with a warning by WarnUntrusted
	colors []string        // escape sequences that stdout must not escape
}

// NewApp returns an app without a repository. settings are the program's settings except those of
// a model.
func NewApp(env Environ, stdin io.Reader, stdout, stderr io.Writer, args []string, settings []doctor.Setting) *App {
	a := &App{
		Env:      env,
		Stdin:    stdin,
		Raw:      ui.AnswerWriter{Writer: stdout},
		Stderr:   &ui.LockedWriter{W: stderr},
		Args:     args,
		Now:      time.Now,
		settings: settings,
	}
	a.Stdout = ui.TextWriter{W: a.Raw, Colors: &a.colors}
	a.Data = store.New(env.Get, a.WarnOnce, VersionString())
	return a
}

// Close closes the repository, if one is open, and sends the remaining spans to the collector.
func (a *App) Close() error {
	a.telemetry.close()
	if a.Repo == nil {
		return nil
	}
	return a.Repo.Close()
}

// Open opens the repository, once: that of the current directory unless opt names another. A bad
// value of agent.gitMemory is an error, because every call of git needs it.
func (a *App) Open(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
	repo, err := a.OpenUnchecked(ctx, opt)
	if err != nil {
		return nil, err
	}
	config, _ := a.Data.Config(ctx) // an unreadable configuration is reported at the first decisive setting
	for _, v := range config[strings.ToLower(gitcmd.MemorySetting)] {
		if !v.Trusted() {
			continue
		}
		if err := store.CheckSize(gitcmd.MemorySetting)(v); err != nil {
			return nil, err
		}
	}
	a.warnUnknown(config)
	return repo, nil
}

// OpenUnchecked is Open without the check of the settings.
func (a *App) OpenUnchecked(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error) {
	if a.Repo != nil {
		return a.Repo, nil
	}
	if a.Flags.Verbose > 0 {
		opt.Log = a.logCall
	}
	go a.Data.Config(ctx) // read it while git looks for the repository; locate waits for it
	opt.Locate, opt.Index, opt.Searched = a.Data.Locate(ctx), a.Data.Index, a.Data.Searched
	if opt.Dir == "" {
		opt.Settings = a.Data.Config
	}
	repo, err := gitext.Open(ctx, opt)
	if err != nil {
		return nil, err
	}
	a.Repo = repo
	return repo, nil
}
