// Package doctor checks git, the installation, the model and the repository, and gives a solution
// for each problem. On request, it also repairs some problems.
package doctor

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// Input has the parts of the process that the checks use. Functions are called at the beginning
// of their check, because they may start git or print a warning.
type Input struct {
	Stdin          io.Reader // answers the questions of Fix
	Stdout, Stderr io.Writer
	Color          ui.Palette
	Getenv         func(key string) string
	Version        string // of the program

	Open         func(ctx context.Context, opt gitext.OpenOptions) (*gitext.Repo, error)
	Data         *store.Store
	Settings     []Setting                                           // the program's settings besides session.Table
	Model        func(ctx context.Context) (session.Settings, error) // without a warning about untrusted settings
	Sandbox      func(ctx context.Context) (sandbox.Level, error)    // the configured level
	ManDir       func() (string, error)                              // the directory of installed manual pages
	Calibrations []Calibration

	JSON   bool // print one JSON object for each check
	Quiet  bool // print only problems
	Fix    bool // repair problems if possible
	Yes    bool // answer yes to the questions of Fix
	Online bool // send a test request to the model
}

// Calibration is a configured calibration of a verb.
type Calibration struct {
	Name  string                                                  // of its check
	Path  func(s session.Settings) string                         // "" if none is configured
	Read  func(path string) (*session.Calibration, error)         // reads the file
	Basis func(s session.Settings, runs int) (agent.Basis, error) // of the verb's answers now
	Again string                                                  // the command that makes a new one
}

// Setting is a key of git's configuration that the program reads.
type Setting struct {
	Key      string
	UserOnly bool // ignored if the repository itself sets it
	Confined bool // ignored if the repository itself sets it and no sandbox confines commands
	// Check returns an error for an invalid value. nil means that every value is valid.
	Check func(gitconfig.Value) error
}

// visit is one run of the checks.
type visit struct {
	Input
	answers *bufio.Reader // stdin, if a question has been asked
	failed  bool          // a check has failed
}

// Run runs all checks, even after a failure, so that all problems appear at once. Outside of a
// repository it skips the checks of the repository. sound is false if a check has failed.
func Run(ctx context.Context, in Input) (sound bool, err error) {
	v := &visit{Input: in}
	err = v.run(ctx)
	return !v.failed, err
}

func (v *visit) run(ctx context.Context) error {
	if v.Fix {
		v.removeTemporary()
	}
	if err := v.report(ctx, checkInstallation(ctx, v)...); err != nil {
		return err
	}
	if err := v.report(ctx, checkModel(ctx, v)...); err != nil {
		return err
	}
	opt := gitext.OpenOptions{}
	if v.Fix {
		opt.Bloom = gitext.BloomBuild
		if ui.IsTerminal(v.Stderr) && !v.Quiet {
			fmt.Fprintln(v.Stderr, "building changed-path filters: ten seconds for 80,000 commits")
		}
	}
	repo, err := v.Open(ctx, opt)
	if err != nil {
		return v.report(ctx, fail("repository", hintOf(err), "%s", ui.FatalText(err)))
	}
	if v.Fix {
		err = v.repair(ctx, repo)
	}
	return errors.Join(err, v.report(ctx, checkRepository(ctx, v, repo)...))
}

// report prints the results of some checks.
func (v *visit) report(ctx context.Context, list ...finding) error {
	if err := ctx.Err(); err != nil {
		return err // an interrupted check has no findings
	}
	for _, f := range list {
		v.failed = v.failed || f.Status == checkFail
		if err := v.print(f); err != nil {
			return err
		}
	}
	return nil
}

// say prints a notice, unless Quiet is set.
func (v *visit) say(format string, args ...any) {
	if !v.Quiet {
		fmt.Fprintf(v.Stderr, format+"\n", args...)
	}
}
