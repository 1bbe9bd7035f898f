package verbs

import (
	"context"

	"git-agent/agent/fix"
	"git-agent/cmd/git-agent/app"
)

// crashFixFlags are the options of crash for a repair.
type crashFixFlags struct {
	Fix      bool   `help:"repair the bug behind one report, as git agent fix does, and prove the patch with --repro"`
	Repro    string `placeholder:"<command>" help:"with --fix: shell command that fails as long as the program crashes; git agent fix --crash has more options"`
	Suite    string `placeholder:"<command>" help:"with --fix: shell command that runs the wider tests, which must not get worse; default: --repro"`
	Build    string `placeholder:"<command>" help:"with --fix: shell command that builds what --repro runs"`
	Attempts int    `default:"1" placeholder:"<n>" help:"with --fix: let a model try <n> times"`
}

// repair repairs the bug behind the only given report, as fix does: with a model,
// by the strategy research.
func (c *Crash) repair(ctx context.Context, a *app.App) error {
	switch {
	case c.Core.given:
		return app.Usagef("--fix needs the report in a file: coredumpctl info, or gdb's stacks of the core")
	case len(c.Reports) != 1:
		return app.Usagef("--fix repairs the bug behind one report")
	case c.Repro == "":
		return app.Usagef("--fix needs --repro=<command>, which fails as long as the program crashes: no patch could be proved without it")
	case c.Since != "" || c.Exe != "" || c.Group || c.Section != "" || c.Format != nil || c.SARIF:
		return app.Usagef(
			"--fix goes with --repro, --suite, --build, --attempts, --at, --engine, --json, --html, --events, --fetch and the options for a model",
		)
	case c.Attempts < 1:
		return app.Usagef("--attempts takes a number from 1")
	}
	repair := Fix{
		Test: c.Repro, Suite: c.Suite, Build: c.Build, Crash: c.Reports[0], commit: c.At, History: "auto",
		JSON: c.JSON, Events: c.Events, ShowRequest: c.ShowRequest,
		strategy: fix.Research, Fetch: c.Fetch, PageFlags: c.PageFlags,
		FixWork: defaultFixWork(),
	}
	repair.Engine, repair.Samples, repair.ModelFlags = c.Engine, c.Attempts, c.ModelFlags
	return repair.Run(ctx, a)
}
