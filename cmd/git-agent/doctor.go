package main

import (
	"context"

	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/doctor"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/szzcmd"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext/gitcmd"
)

type doctorCmd struct {
	JSON   bool `name:"json" help:"print one JSON object for each check"`
	Fix    bool `help:"take back a patch that fix began to write and did not finish, remove temporary folders of killed runs, build a commit-graph that speeds up reading the history, and offer to import the data of earlier versions"`
	Yes    bool `help:"answer yes to the questions of --fix"`
	Online bool `help:"also send a small test request to the configured model, which may cost a fraction of a cent"`
}

// otherSettings are the program's settings except those of a model.
var otherSettings = []doctor.Setting{
	{Key: "agent.cacheLimit", Check: store.CheckSize("agent.cacheLimit")},
	{Key: verbs.TestCommandKey, Confined: true},
	{Key: verbs.BuildCommandKey, Confined: true},
	{Key: verbs.SuiteCommandKey, Confined: true},
	{Key: verbs.SetupCommandKey, UserOnly: true},
	{Key: gitcmd.MemorySetting, Check: store.CheckSize(gitcmd.MemorySetting)},
	{Key: app.FetchKey, UserOnly: true, Check: app.CheckBool(app.FetchKey)},
	{Key: verbs.DebuginfodKey, UserOnly: true, Check: app.CheckBool(verbs.DebuginfodKey)},
	{Key: szzcmd.TrailerFloorKey, Check: szzcmd.CheckTrailerFloor},
	{Key: app.OTelKey, UserOnly: true, Check: app.CheckOTel},
	{Key: "agent.dataDir", UserOnly: true},
	{Key: app.SandboxKey, UserOnly: true, Check: app.CheckSandboxLevel},
	{Key: app.SandboxReadKey, UserOnly: true},
	{Key: app.SandboxWriteKey, UserOnly: true},
}

// Run exits with 1 if a check fails.
func (c *doctorCmd) Run(ctx context.Context, a *app.App) error {
	if c.Yes && !c.Fix {
		return app.Usagef("--yes needs --fix")
	}
	sound, err := doctor.Run(ctx, doctor.Input{
		Stdin: a.Stdin, Stdout: a.Stdout, Stderr: a.Stderr, Color: a.NewPalette(ctx), Getenv: a.Env.Get, Version: app.VersionString(),
		Open: a.OpenUnchecked, Data: a.Data, Settings: otherSettings,
		Model: func(ctx context.Context) (session.Settings, error) { return quietModelSettings(ctx, a) },
		Sandbox: func(ctx context.Context) (sandbox.Level, error) {
			s, err := a.SandboxSettings(ctx, "")
			return s.Level, err
		},
		ManDir:       func() (string, error) { return app.DefaultManDir(a.Env) },
		Calibrations: []doctor.Calibration{app.SzzCalibration.Calibration, app.CrashCalibration.Calibration},
		JSON:         c.JSON, Quiet: a.Flags.Quiet, Fix: c.Fix, Yes: c.Yes, Online: c.Online,
	})
	if err == nil && !sound {
		return app.ExitStatus(app.ExitNothing)
	}
	return err
}

// quietModelSettings is ModelSettings without the warnings about untrusted
// settings, because the doctor reports them as findings.
func quietModelSettings(ctx context.Context, a *app.App) (session.Settings, error) {
	a.Warned = map[string]bool{}
	for _, row := range session.Table {
		a.Warned[row.Key] = true
	}
	return a.ModelSettings(ctx)
}
